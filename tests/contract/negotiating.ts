import type { Caller } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';
import type { LongNames } from './long-branches.ts';
import type { KnownIds } from './table.ts';

/** Two agents in the room that is known, who can negotiate there. */
export async function layMembers(app: TestApp, { as }: { as: Partial<Caller> }, { room_id }: KnownIds): Promise<void> {
  const at = { room_id: room_id as string };
  await app.call('rooms.join', at, as);
  await app.call('rooms.join', at, { ...as, agent_id: 'agent/second-member' });
}

/** Negotiations with long names, of which some are over, as only so many can be open. */
export async function layLongNegotiations(
  app: TestApp,
  known: KnownIds,
  { as, count, text }: LongNames,
): Promise<void> {
  const room_id = known.room_id as string;
  await layMembers(app, { as }, known);
  for (let i = 0; i < count; i++) {
    const begun = await app.call('negotiations.create', { room_id, title: text(250, i) }, as);
    await app.call('negotiations.cancel', { room_id, negotiation_id: begun.negotiation_id }, as);
  }
  const { negotiation_id } = await app.call(
    'negotiations.create',
    { room_id, title: text(250, count), max_rounds: 50 },
    as,
  );
  const step = (i: number) => ({ room_id, negotiation_id, proposal: text(2000, i), rationale: text(2000, i) });
  for (let i = 0; i < 20; i++)
    await app.call('negotiations.propose', { ...step(i), action: i === 0 ? 'propose' : 'counter' } as never, as);
  known.negotiation_id = negotiation_id;
}

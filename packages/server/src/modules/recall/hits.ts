import { operations, stringify } from '@mem-service/contract';
import { type Lineage, readContext, SELF_CALLER, type Services } from '../../kernel/index.ts';
import { retrieve } from './handlers.ts';

export type AskedAgain = { question: string; asked_path: string | null; below: number };
export type HitName = { entity_path: string; key: string };

/** No agent has this name: it sees what everyone may see. */
const EVERYBODY = '';

/** The entries that answer a question in a state of memory, best first, of those that everyone may see. Nothing is noted. */
export async function hitsIn(
  services: Services,
  { account_id, lineage, limit }: { account_id: string; lineage: Lineage; limit: number },
  { question, asked_path, below }: AskedAgain,
): Promise<HitName[]> {
  const input = operations['entries.retrieve'].input.parse({
    ...{ query: question, limit, compact: true, include_avoid: false, include_descendants: below === 1 },
    ...(asked_path === null ? {} : { entity_path: asked_path }),
  });
  const caller = { ...SELF_CALLER, account_id, agent_id: EVERYBODY };
  const answer = await retrieve({ ...readContext(services, caller, lineage), note() {} }, input);
  const { entries } = JSON.parse(stringify(answer)) as { entries: HitName[] };
  return entries.map(({ entity_path, key }) => ({ entity_path, key }));
}

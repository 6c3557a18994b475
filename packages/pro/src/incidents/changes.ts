import {
  type Caller,
  changed,
  type Handlers,
  hashedBy,
  prepares,
  type Services,
  unchanged,
  viewerOf,
  type Work,
  writes,
} from '@mem-service/server/module';
import { mutedUntil } from '../evaluation/index.ts';
import { authorOf } from '../judges/index.ts';
import { getIncident, type IncidentRow, upsertIncidents } from './queries.ts';
import { toIncident } from './render.ts';
import { type IncidentChange, reportChange } from './report.ts';
import { requireIncident, sightOf } from './sight.ts';

type ChangeAsked = {
  caller: Caller;
  input: { reason: string; agent_id?: string | undefined; session_id?: string | undefined };
  before: IncidentRow;
  /** What is different afterwards; nothing where it is so already. */
  after: Partial<IncidentRow> | undefined;
  change: IncidentChange['change'];
};

async function change(work: Work, { caller, input, before, after, change: name }: ChangeAsked) {
  const { tx, now } = work;
  if (!after) return unchanged(await toIncident(tx, before, now));
  const row = { ...before, ...after, updated_at: now };
  reportChange(work, row, { change: name, author: authorOf(input, caller), reason: input.reason });
  work.send(tx.insertMany(upsertIncidents, [row]));
  const answer = await toIncident(tx, row, now);
  const { after: hashed } = hashedBy(await toIncident(tx, before, now));
  return changed(answer, { resource: row.incident_id, before: hashed, after: hashedBy(answer).after });
}

/** As it is in the transaction; whether the caller may see it was asked before. */
async function current(work: Work, caller: Caller, prepared: unknown): Promise<IncidentRow> {
  const before = prepared as IncidentRow;
  const viewer = viewerOf({ caller });
  return (await getIncident(work.tx, viewer, before.incident_id)) ?? before;
}

const requireFirst = (services: Services, { incident_id }: { incident_id: string }, caller: Caller) =>
  requireIncident(sightOf(services, caller), incident_id);

const acknowledge = writes<'incidents.acknowledge'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  const after = before.status === 'open' ? { status: 'acknowledged' } : undefined;
  return change(work, { caller, input, before, after, change: 'acknowledged' });
});

const resolve = writes<'incidents.resolve'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  const after = before.status === 'resolved' ? undefined : { status: 'resolved', resolved_seq: work.account.seq };
  return change(work, { caller, input, before, after, change: 'resolved' });
});

const mute = writes<'incidents.mute'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  const muted_until = mutedUntil(input, work.now);
  const after = muted_until === before.muted_until ? undefined : { muted_until };
  return change(work, { caller, input, before, after, change: 'muted' });
});

export const changeHandlers: Handlers = {
  'incidents.acknowledge': prepares<'incidents.acknowledge'>(requireFirst, acknowledge),
  'incidents.resolve': prepares<'incidents.resolve'>(requireFirst, resolve),
  'incidents.mute': prepares<'incidents.mute'>(requireFirst, mute),
};

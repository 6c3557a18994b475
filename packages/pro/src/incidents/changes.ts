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
import { getIncident, type IncidentRow, listGroup, upsertIncidents } from './queries.ts';
import { toIncident } from './render.ts';
import { type IncidentChange, reportChange } from './report.ts';
import { requireIncident, sightOf } from './sight.ts';

/** So many of a group are changed together. */
const MAX_TOGETHER = 100;

type ChangeAsked = {
  caller: Caller;
  input: { whole_group: boolean; reason: string; agent_id?: string | undefined; session_id?: string | undefined };
  before: IncidentRow;
  change: IncidentChange['change'];
  /** What is different afterwards; undefined where it is so already. */
  afterOf: (row: IncidentRow) => Partial<IncidentRow> | undefined;
};

/** Changes an incident, and the others of its group where they are meant too: who may see one may see all. */
async function change(work: Work, { caller, input, before, change: name, afterOf }: ChangeAsked) {
  const { tx, now, account_id } = work;
  const { group_id, incident_id } = before;
  const group = input.whole_group ? await listGroup(tx, account_id, { group_id, limit: MAX_TOGETHER }) : [];
  const others = group.filter((other) => other.incident_id !== incident_id);
  const rows = [before, ...others].flatMap((row) => {
    const after = afterOf(row);
    return after ? [{ ...row, ...after, updated_at: now }] : [];
  });
  if (rows.length === 0) return unchanged(await toIncident(tx, before, now));
  const author = authorOf(input, caller);
  const was = await toIncident(tx, before, now);
  for (const row of rows) reportChange(work, row, { change: name, author, reason: input.reason });
  await tx.insertMany(upsertIncidents, rows);
  const answer = await toIncident(tx, rows.find((row) => row.incident_id === incident_id) ?? before, now);
  return changed(answer, { resource: incident_id, before: hashedBy(was).after, after: hashedBy(answer).after });
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
  const afterOf = ({ status }: IncidentRow) => (status === 'open' ? { status: 'acknowledged' } : undefined);
  return change(work, { caller, input, before, change: 'acknowledged', afterOf });
});

const resolve = writes<'incidents.resolve'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  const resolved = { status: 'resolved', resolved_seq: work.account.seq };
  const afterOf = ({ status }: IncidentRow) => (status === 'resolved' ? undefined : resolved);
  return change(work, { caller, input, before, change: 'resolved', afterOf });
});

const mute = writes<'incidents.mute'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  const muted_until = mutedUntil(input, work.now);
  const afterOf = (row: IncidentRow) => (muted_until === row.muted_until ? undefined : { muted_until });
  return change(work, { caller, input, before, change: 'muted', afterOf });
});

export const changeHandlers: Handlers = {
  'incidents.acknowledge': prepares<'incidents.acknowledge'>(requireFirst, acknowledge),
  'incidents.resolve': prepares<'incidents.resolve'>(requireFirst, resolve),
  'incidents.mute': prepares<'incidents.mute'>(requireFirst, mute),
};

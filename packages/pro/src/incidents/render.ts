import { type Output, type Query, toIso, toIsoOrNull } from '@mem-service/server/module';
import { wilson } from '../evaluation/index.ts';
import { type IncidentChangeRow, type IncidentRow, listGroup } from './queries.ts';
import { chanceOf, FIRST_RATE, MAX_BASE, MAX_WINDOW, MOST_CHANCE, type TracesCounted } from './rules/excess.ts';
import { reasonOf } from './rules/reason.ts';
import { sourceOf } from './sources.ts';

export type Incident = Output<'incidents.list'>['incidents'][number];

const MAX_SINCE = 1000;
/** So many others of a group are shown. */
const MAX_RELATED = 20;
const NONE: TracesCounted = { samples: 0, failures: 0 };

/** The last trace that an incident is about. */
export const endOf = ({ status, resolved_seq }: IncidentRow): number =>
  status === 'resolved' && resolved_seq !== null ? resolved_seq : Number.MAX_SAFE_INTEGER - 1;

const spansOf = (row: IncidentRow) => [
  { name: 'window', from: row.from_seq, before: row.to_seq + 1, limit: MAX_WINDOW },
  { name: 'since', from: row.to_seq + 1, before: endOf(row) + 1, limit: MAX_SINCE },
  ...(row.base_from_seq === null || row.base_until_seq === null
    ? []
    : [{ name: 'base', from: row.base_from_seq, before: row.base_until_seq, limit: MAX_BASE }]),
];

function toCounted({ samples, failures }: TracesCounted): Incident['window'] {
  const { rate, low, high } = wilson(failures, samples);
  return { samples, failures, rate, low, high };
}

const statusAt = ({ status, muted_until }: IncidentRow, now: number): Incident['status'] =>
  muted_until !== null && muted_until > now ? 'muted' : (status as Incident['status']);

/** An incident with what its traces say now: overruled verdicts count as people see them, traces that are gone do not. */
export async function toIncident(query: Query, row: IncidentRow, now: number): Promise<Incident> {
  const { account_id, rule } = row;
  const [counts, related] = await Promise.all([
    sourceOf(row).count(query, row, { account_id, spans: spansOf(row) }),
    relatedTo(query, row, now),
  ]);
  const [window = NONE, base, since = NONE] = ['window', 'base', 'since'].map((name) => counts.get(name));
  const chance = base ? chanceOf(window, base) : null;
  const source_kind = row.source_kind as Incident['source_kind'];
  return {
    incident_id: row.incident_id,
    group_id: row.group_id,
    ...related,
    source_kind,
    source_id: row.source_id,
    source_version: row.source_version,
    agent_id: agentOf(row),
    branch: row.branch,
    status: statusAt(row, now),
    muted_until: toIsoOrNull(row.muted_until),
    reason: reasonOf({ source_kind, window, base, chance }),
    rule: rule as Incident['rule'],
    window: toCounted(window),
    base: base ? toCounted(base) : null,
    chance,
    bound: rule === 'from_start' ? FIRST_RATE : MOST_CHANCE[rule as 'excess' | 'again'],
    since: toCounted(since),
    created_at: toIso(row.created_at),
    opened_at: toIso(row.opened_at),
    last_failed_at: toIso(row.last_failed_at),
    updated_at: toIso(row.updated_at),
  };
}

const agentOf = ({ of_agent }: IncidentRow): string | null => (of_agent === '' ? null : of_agent);

/** The others of its group. Who may see one of them may see all: they are about the same branch, and are private to the same agent. */
async function relatedTo(
  query: Query,
  row: IncidentRow,
  now: number,
): Promise<Pick<Incident, 'related' | 'related_complete'>> {
  const { account_id, incident_id, group_id } = row;
  const group = await listGroup(query, account_id, { group_id, limit: MAX_RELATED + 2 });
  const others = group.filter((other) => other.incident_id !== incident_id);
  return {
    related: others.slice(0, MAX_RELATED).map((other) => ({
      incident_id: other.incident_id,
      source_kind: other.source_kind as Incident['source_kind'],
      source_id: other.source_id,
      agent_id: agentOf(other),
      status: statusAt(other, now),
    })),
    related_complete: others.length <= MAX_RELATED,
  };
}

type TimelineChange = Output<'incidents.read'>['timeline'][number];

export const toTimeline = ({ change, agent_id, reason, failures, muted_until, created_at }: IncidentChangeRow) => ({
  change: change as TimelineChange['change'],
  ...{ agent_id, reason, failures },
  muted_until: toIsoOrNull(muted_until),
  created_at: toIso(created_at),
});

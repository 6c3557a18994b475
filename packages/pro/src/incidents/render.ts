import { type Output, type Query, toIso, toIsoOrNull } from '@mem-service/server/module';
import { wilson } from '../evaluation/index.ts';
import type { IncidentChangeRow, IncidentRow } from './queries.ts';
import { chanceOf, FIRST_RATE, MAX_BASE, MAX_WINDOW, MOST_CHANCE, type TracesCounted } from './rules/excess.ts';
import { reasonOf } from './rules/reason.ts';
import { sourceOf } from './sources.ts';

export type Incident = Output<'incidents.list'>['incidents'][number];

const MAX_SINCE = 1000;
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
  const counts = await sourceOf(row).count(query, row, { account_id, spans: spansOf(row) });
  const [window = NONE, base, since = NONE] = ['window', 'base', 'since'].map((name) => counts.get(name));
  const chance = base ? chanceOf(window, base) : null;
  const source_kind = row.source_kind as Incident['source_kind'];
  return {
    incident_id: row.incident_id,
    source_kind,
    source_id: row.source_id,
    source_version: row.source_version,
    agent_id: row.of_agent === '' ? null : row.of_agent,
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

type TimelineChange = Output<'incidents.read'>['timeline'][number];

export const toTimeline = ({ change, agent_id, reason, failures, muted_until, created_at }: IncidentChangeRow) => ({
  change: change as TimelineChange['change'],
  ...{ agent_id, reason, failures },
  muted_until: toIsoOrNull(muted_until),
  created_at: toIso(created_at),
});

import type { Query, Work } from '@mem-service/server/module';
import { type IncidentRow, listUnresolved } from './queries.ts';
import { MAX_WINDOW } from './rules/excess.ts';
import { areMostlySame } from './rules/same-traces.ts';
import { sourceOf } from './sources.ts';

/** An incident that was opened, and the event of the failure that did it. */
export type OpenedIncident = { row: IncidentRow; reported: number };

/** As many of the incidents that were opened last, and of the groups of these, are compared with. */
const MAX_INCIDENTS = 1000;
const MAX_GROUPS = 20;

/**
 * The groups of incidents that were opened, in their order: that of the first open one that rests on mostly the same traces, else one of
 * its own.
 */
export async function joinGroups(
  { account_id, tx }: Pick<Work, 'account_id' | 'tx'>,
  opened: readonly OpenedIncident[],
): Promise<Map<string, string>> {
  const groups = new Map<string, string>();
  const places = new Map<string, IncidentRow[]>();
  for (const { row, reported } of opened) {
    const place = `${row.branch}\n${row.visible_to}`;
    const others = places.get(place) ?? (await listUnresolved(tx, row, MAX_INCIDENTS));
    const group_id =
      (await groupAmong(tx, { account_id, row, reported, others: firstOfGroups(others) })) ?? row.group_id;
    groups.set(row.incident_id, group_id);
    places.set(place, [...others, { ...row, group_id }]);
  }
  return groups;
}

/** The one of each group that was opened first; of the newest groups, oldest first. */
function firstOfGroups(rows: readonly IncidentRow[]): IncidentRow[] {
  const first = new Map<string, IncidentRow>();
  for (const row of rows) if (!first.has(row.group_id)) first.set(row.group_id, row);
  return [...first.values()].slice(-MAX_GROUPS);
}

type ComparedIncident = OpenedIncident & { account_id: string; others: readonly IncidentRow[] };

async function groupAmong(
  query: Query,
  { account_id, row, reported, others }: ComparedIncident,
): Promise<string | undefined> {
  if (others.length === 0) return undefined;
  const span = { account_id, from: row.from_seq, until: row.to_seq, reported };
  const failedIn = async (incident: IncidentRow, limit: number) =>
    (await sourceOf(incident).failures(query, incident, { ...span, limit })).map(({ trace_seq }) => trace_seq);
  const own = await failedIn(row, MAX_WINDOW);
  // With twice as many, less than half of them could be the same.
  for (const other of others) if (areMostlySame(own, await failedIn(other, 2 * own.length))) return other.group_id;
  return undefined;
}

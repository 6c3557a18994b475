import type { Dialect, Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { findSharedCounts } from '../counts/index.ts';
import { findCited } from './cited-entries.ts';
import { findDigests, listNewestOf, listNumbersAt, listNumbersAtAll } from './queries.ts';
import { type DigestParts, type DigestRow, NO_PARTS, partsOf } from './rows.ts';
import { agentsOfSource, type CitedEntry, isAboutPath } from './rules/cited.ts';
import { type DueDigest, newTies } from './rules/due.ts';
import { type DigestLists, grownLists, SHOWN_WHOLE, shownIn, sortedNumbers } from './rules/lists.ts';
import { MOST_KEPT } from './rules/sections.ts';

/** What is compiled, and from which store. `at` is the time, `seq` the end of the log before anything is read. */
export type Compiling = { query: Query; dialect: Dialect; account_id: string; at: number; seq: number };

/** A digest to compile, with what it was before, and how many shared entries its scope has. */
export type Pending = DueDigest & {
  row: DigestRow | undefined;
  before: DigestParts;
  count: number;
  /** Undefined where entries have to be chosen for it. */
  lists: DigestLists | undefined;
  /** Entries that may come into it. */
  candidates: readonly number[];
};

/** With fewer candidates than this, others are looked for. */
const FEW = 40;

const authorsOf = ({ digest_type, scope }: Pick<DueDigest, 'digest_type' | 'scope'>): readonly string[] =>
  digest_type === 'source' ? agentsOfSource(scope) : [scope];

export const isOfScope = (one: DueDigest, entry: CitedEntry): boolean =>
  isAboutPath(one.digest_type) ? entry.entity_path === one.scope : authorsOf(one).includes(entry.agent_id);

const isMap = ({ digest_type }: DueDigest): boolean => digest_type === 'connection_map';
const hasLists = ({ digest_type }: DueDigest): boolean =>
  digest_type !== 'trace_pattern' && digest_type !== 'connection_map';

/** What digests were before, and their entries as far as they follow from that. */
export async function loadPending(
  { query, account_id }: Compiling,
  view: EntryView,
  due: readonly DueDigest[],
): Promise<Pending[]> {
  const branch = view.lineage[0]?.branch ?? '';
  // A map names entries of its path, which the digest of the path has found.
  const beside = due.filter(isMap).map(({ scope }) => ({ branch, digest_type: 'entity' as const, scope }));
  const names = due.map((one) => namesOf(one));
  const [rows, counts] = await Promise.all([
    findDigests(query, account_id, [...due, ...beside]),
    findSharedCounts(query, { account_id, branch }, names.flat()),
  ]);
  const shownAt = new Map(rows.slice(due.length).flatMap((row) => (row ? [[row.scope, shownIn(partsOf(row))]] : [])));
  let at = 0;
  const pending = due.map((one, i): Pending => {
    const row = rows[i];
    const before = row ? partsOf(row) : NO_PARTS;
    const count = (names[i] ?? []).reduce((sum) => sum + (counts[at++]?.n ?? 0), 0);
    const grown = row && one.change !== 'all' && hasLists(one) ? grownLists(before, newIn(one)) : undefined;
    const outcomes = isMap(one) ? newTies(before.outcomes, one.outcomes) : one.outcomes;
    const known = isMap(one) ? mapEntries(one, row) : [];
    const candidates = grown ? [] : [...new Set([...shownIn(before), ...before.reserve, ...one.entries, ...known])];
    return Object.assign({}, one, { row, before, count, lists: grown, candidates, outcomes });
  });
  await readSmallPaths(query, view, pending);
  return pending.filter((one) => !isMap(one) || !one.row || one.change !== 'new entries' || one.outcomes.size > 0);

  function mapEntries({ scope, change, outcomes }: DueDigest, row: DigestRow | undefined): number[] {
    const tied = [...(row ? partsOf(row).outcomes : []), ...outcomes].flatMap(([, entries]) => [...entries]);
    return row && change !== 'all' ? tied : [...(shownAt.get(scope) ?? []), ...tied];
  }
}

const newIn = ({ entries, change }: DueDigest) => ({ entries, areNew: change === 'new entries' });

const namesOf = (one: DueDigest): { kind: 'entity' | 'agent'; name: string }[] =>
  isAboutPath(one.digest_type)
    ? [{ kind: 'entity', name: one.scope }]
    : authorsOf(one).map((name) => ({ kind: 'agent', name }));

/** The first digests of paths with a few entries show all of them, so that none has to be looked at. */
async function readSmallPaths(query: Query, view: EntryView, pending: readonly Pending[]): Promise<void> {
  const small = pending.filter(
    ({ row, digest_type, count }) => !row && digest_type === 'entity' && count > 0 && count <= SHOWN_WHOLE,
  );
  const most = small.length * (SHOWN_WHOLE + 1);
  const found = await listNumbersAtAll(query, view, { paths: small.map(({ scope }) => scope), most });
  if (found.length === most) return;
  const byPath = new Map<string, number[]>(small.map(({ scope }) => [scope, []]));
  for (const { entity_path, entry_id } of found) byPath.get(entity_path)?.push(entry_id);
  for (const one of small) {
    const shown = sortedNumbers(byPath.get(one.scope) ?? []);
    if (shown.length <= SHOWN_WHOLE) one.lists = { shown, reserve: [] };
  }
}

/** The entries that digests are chosen from, by number. */
export async function findCandidates(
  query: Query,
  view: EntryView,
  pending: readonly Pending[],
): Promise<Map<number, CitedEntry>> {
  const open = pending.filter(({ lists }) => lists === undefined);
  const cited = await findCited(
    query,
    view,
    open.flatMap(({ candidates }) => candidates),
  );
  await addCandidates({ query, view, pending: open, cited });
  return cited;
}

type Searched = { query: Query; view: EntryView; pending: readonly Pending[]; cited: Map<number, CitedEntry> };

/**
 * A small scope is read whole. Of a large one, the entries that came into it since its last digest are known from the log;
 * where few are, as after many deletions, some others are looked up.
 */
async function addCandidates({ query, view, pending, cited }: Searched): Promise<void> {
  const unknown = new Set<number>();
  for (const one of pending) {
    if (!hasLists(one) || one.count <= 0) continue;
    const live = one.candidates.filter((id) => cited.has(id)).length;
    if (one.count > MOST_KEPT && one.row && live >= FEW) continue;
    const found = isAboutPath(one.digest_type)
      ? await listNumbersAt(query, view, { path: one.scope, most: MOST_KEPT })
      : await listNewestOf(query, view, { agents: authorsOf(one), most: MOST_KEPT });
    one.candidates = [...new Set([...one.candidates, ...found])];
    for (const id of found) if (!cited.has(id)) unknown.add(id);
  }
  for (const [id, entry] of await findCited(query, view, unknown)) cited.set(id, entry);
}

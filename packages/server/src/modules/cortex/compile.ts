import type { Dialect, Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { findSharedCounts } from '../counts/index.ts';
import { findCited } from './cited-entries.ts';
import { findEdges } from './map-edges.ts';
import { findDigests, listNewestOf, listNumbersAt } from './queries.ts';
import { type DigestKey, type DigestParts, type DigestRow, NO_PARTS, partsOf } from './rows.ts';
import { agentsOfSource, type CitedEntry, isAboutPath } from './rules/cited.ts';
import { type DueDigest, mergeOutcomes } from './rules/due.ts';
import { chooseEntries, MOST_KEPT } from './rules/sections.ts';
import { LEAST_SUCCESSES } from './rules/summary.ts';

/** What is compiled, and from which store. `at` is the time, `seq` the end of the log before anything is read. */
export type Compiling = { query: Query; dialect: Dialect; account_id: string; at: number; seq: number };

/** `remove`: nothing is left that the digest would be about. */
export type Compiled = { save: CompiledDigest[]; remove: DigestKey[] };

/** `by`: the agent on whose timeline it is reported; undefined for a path. */
export type CompiledDigest = DigestRow & { by: string | undefined };

const ENTITY_OUTCOMES = { outcomes: 10, entries: 5 };
const PATTERN_OUTCOMES = { outcomes: 25, entries: 8 };
/** Entries of a path that a map names because they follow patterns. */
const MAP_ENTRIES = 10;
/** With fewer candidates than this, others are looked for. */
const FEW = 40;

/** Compiles digests. The work is bounded for each, however many entries its scope has. */
export async function compileDigests(compiling: Compiling, due: readonly DueDigest[]): Promise<Compiled> {
  const compiled: Compiled = { save: [], remove: [] };
  for (const branch of new Set(due.map((one) => one.branch))) {
    const { save, remove } = await compileBranch(
      compiling,
      branch,
      due.filter((one) => one.branch === branch),
    );
    compiled.save.push(...save);
    compiled.remove.push(...remove);
  }
  return compiled;
}

/** A digest to compile, with what it was before. */
type Pending = DueDigest & { row: DigestRow | undefined; before: DigestParts; count: number; candidates: number[] };

async function compileBranch(compiling: Compiling, branch: string, due: readonly DueDigest[]): Promise<Compiled> {
  const { query, account_id, dialect, at } = compiling;
  const lineage = [{ branch, up_to_seq: null }];
  const view: EntryView = { account_id, lineage, agent_id: '', scope: undefined, at, dialect };
  const pending = await loadPending(compiling, view, due);
  const cited = await findCited(
    query,
    view,
    pending.flatMap(({ candidates }) => candidates),
  );
  await addCandidates({ query, view, pending, cited });
  const maps = pending.filter(({ digest_type }) => digest_type === 'connection_map');
  const edges = await findEdges(
    query,
    view,
    maps.map(({ scope }) => scope),
  );
  const compiled: Compiled = { save: [], remove: [] };
  for (const one of pending) {
    await pause();
    const entries = one.candidates.flatMap((id) => cited.get(id) ?? []).filter((entry) => isOfScope(one, entry));
    const made = partsFor(one, entries, edges.get(one.scope)?.length ?? 0);
    if (made === undefined) {
      if (one.row) compiled.remove.push(one);
      continue;
    }
    const { parts, entry_count, is_shown } = made;
    const { digest_type, scope, row } = one;
    const text = JSON.stringify(parts);
    const isSame = row?.parts === text && row.entry_count === entry_count && row.is_shown === is_shown;
    if (one.if_changed && (isSame || !row)) continue;
    const by = isAboutPath(digest_type) ? undefined : (entries[0]?.agent_id ?? scope);
    const { seq } = compiling;
    const digest = { account_id, branch, digest_type, scope, seq, compiled_at: at, entry_count, is_shown, parts: text };
    compiled.save.push({ ...digest, by });
  }
  return compiled;
}

const authorsOf = ({ digest_type, scope }: Pick<DueDigest, 'digest_type' | 'scope'>): readonly string[] =>
  digest_type === 'source' ? agentsOfSource(scope) : [scope];

const isOfScope = (one: DueDigest, entry: CitedEntry): boolean =>
  isAboutPath(one.digest_type) ? entry.entity_path === one.scope : authorsOf(one).includes(entry.agent_id);

/** What a digest was before, how many shared entries its scope has, and which of them may come into it. */
async function loadPending(
  { query, account_id }: Compiling,
  view: EntryView,
  due: readonly DueDigest[],
): Promise<Pending[]> {
  const branch = view.lineage[0]?.branch ?? '';
  const isMap = ({ digest_type }: DueDigest) => digest_type === 'connection_map';
  // A map names entries of its path, which the digest of the path has found.
  const beside = due.filter(isMap).map(({ scope }) => ({ branch, digest_type: 'entity' as const, scope }));
  const names = due.map((one) => namesOf(one));
  const [rows, counts] = await Promise.all([
    findDigests(query, account_id, [...due, ...beside]),
    findSharedCounts(query, { account_id, branch }, names.flat()),
  ]);
  const shownAt = new Map(rows.slice(due.length).flatMap((row) => (row ? [[row.scope, partsOf(row).shown]] : [])));
  let at = 0;
  return due.map((one, i) => {
    const row = rows[i];
    const before = row ? partsOf(row) : NO_PARTS;
    const count = (names[i] ?? []).reduce((sum) => sum + (counts[at++]?.n ?? 0), 0);
    const known = isMap(one) ? (shownAt.get(one.scope) ?? []) : [];
    const candidates = [...new Set([...before.shown, ...before.reserve, ...one.entries, ...known])];
    return { ...one, row, before, count, candidates };
  });
}

const namesOf = (one: DueDigest): { kind: 'entity' | 'agent'; name: string }[] =>
  isAboutPath(one.digest_type)
    ? [{ kind: 'entity', name: one.scope }]
    : authorsOf(one).map((name) => ({ kind: 'agent', name }));

type Searched = { query: Query; view: EntryView; pending: readonly Pending[]; cited: Map<number, CitedEntry> };

/**
 * A small scope is read whole. Of a large one, the entries that came into it since its last digest are known from the log;
 * where few are, as after many deletions, some others are looked up.
 */
async function addCandidates({ query, view, pending, cited }: Searched): Promise<void> {
  const unknown = new Set<number>();
  for (const one of pending) {
    if (one.digest_type === 'trace_pattern' || one.digest_type === 'connection_map' || one.count <= 0) continue;
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

type CompiledParts = Pick<DigestRow, 'entry_count' | 'is_shown'> & { parts: DigestParts };

/** What a digest is made of; undefined where there is nothing left. */
function partsFor(one: Pending, entries: readonly CitedEntry[], edges: number): CompiledParts | undefined {
  const { digest_type, before, outcomes: added, count } = one;
  if (digest_type === 'connection_map') {
    if (edges === 0) return undefined;
    const following = entries.filter(({ pattern_refs }) => pattern_refs !== '[]').slice(0, MAP_ENTRIES);
    const shown = following.map(({ entry_id }) => entry_id).sort((a, b) => a - b);
    return { parts: { ...NO_PARTS, shown }, entry_count: edges, is_shown: 1 };
  }
  if (digest_type === 'trace_pattern') {
    const outcomes = mergeOutcomes(before.outcomes, added, PATTERN_OUTCOMES);
    const is_shown = Number(outcomes.length >= LEAST_SUCCESSES);
    return count <= 0 ? undefined : { parts: { ...NO_PARTS, outcomes }, entry_count: outcomes.length, is_shown };
  }
  const outcomes = mergeOutcomes(before.outcomes, added, ENTITY_OUTCOMES);
  // What an agent did counts also where it wrote nothing.
  if (entries.length === 0 && (isAboutPath(digest_type) || outcomes.length === 0)) return undefined;
  return { parts: { ...chooseEntries(entries), outcomes }, entry_count: count, is_shown: Number(entries.length > 0) };
}

import type { EntryView } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { findEdges, tiesOf } from './map-edges.ts';
import { findMapEnds } from './map-ends.ts';
import { type Compiling, findCandidates, isOfScope, loadPending, type Pending } from './pending.ts';
import { type DigestKey, type DigestParts, type DigestRow, NO_PARTS } from './rows.ts';
import { type CitedEntry, isAboutPath } from './rules/cited.ts';
import { type DueDigest, mergeOutcomes, TIES } from './rules/due.ts';
import { sortedNumbers } from './rules/lists.ts';
import { chooseEntries } from './rules/sections.ts';
import { LEAST_SUCCESSES } from './rules/summary.ts';

/** `remove`: nothing is left that the digest would be about. */
export type Compiled = { save: CompiledDigest[]; remove: DigestKey[] };

/** `by`: the agent on whose timeline it is reported; undefined for a path. `is_first`: there was none before. */
export type CompiledDigest = { digest: DigestRow; by: string | undefined; is_first: boolean };

const ENTITY_OUTCOMES = { outcomes: 10, entries: 5 };
const PATTERN_OUTCOMES = { outcomes: 25, entries: 8 };
/** Entries of a path that a map names because they follow patterns. */
const MAP_ENTRIES = 10;

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

async function compileBranch(compiling: Compiling, branch: string, due: readonly DueDigest[]): Promise<Compiled> {
  const { query, account_id, dialect, at, seq } = compiling;
  const lineage = [{ branch, up_to_seq: null }];
  const view: EntryView = { account_id, lineage, agent_id: '', scope: undefined, at, dialect };
  const pending = await loadPending(compiling, view, due);
  const cited = await findCandidates(query, view, pending);
  const edges = await findEdges(
    query,
    view,
    pending.flatMap(({ digest_type, scope }) => (digest_type === 'connection_map' ? scope : [])),
  );
  const ends = await findMapEnds(query, view, { pending, cited, edges });
  const compiled: Compiled = { save: [], remove: [] };
  for (const one of pending) {
    await pause();
    const { digest_type, scope, row } = one;
    const entries = one.candidates.flatMap((id) => cited.get(id) ?? []).filter((entry) => isOfScope(one, entry));
    const made =
      digest_type === 'connection_map'
        ? mapParts(one, { entries, cited, edges: edges.get(scope)?.length ?? 0, ends: ends.get(scope) ?? [] })
        : partsFor(one, entries);
    if (made === undefined) {
      if (row) compiled.remove.push(one);
      continue;
    }
    const { entry_count, is_shown } = made;
    const parts = JSON.stringify(made.parts);
    const isSame = row?.parts === parts && row.entry_count === entry_count && row.is_shown === is_shown;
    // It was compiled after what made it due, before a crash.
    if (isSame && row.seq >= one.seq) continue;
    if (one.if_changed && (isSame || !row)) continue;
    const by = isAboutPath(digest_type) ? undefined : (one.author ?? entries[0]?.agent_id ?? scope);
    const digest = { account_id, branch, digest_type, scope, seq, compiled_at: at, entry_count, is_shown, parts };
    compiled.save.push({ digest, by, is_first: row === undefined });
  }
  return compiled;
}

type CompiledParts = Pick<DigestRow, 'entry_count' | 'is_shown'> & { parts: DigestParts };

type MapEnds = {
  /** At its path. */
  entries: readonly CitedEntry[];
  cited: ReadonlyMap<number, CitedEntry>;
  edges: number;
  ends: readonly number[];
};

function mapParts(one: Pending, { entries, cited, edges, ends }: MapEnds): CompiledParts | undefined {
  const outcomes = mergeOutcomes(one.before.outcomes, one.outcomes, TIES);
  const ties = tiesOf(
    one.scope,
    outcomes.map(([, ids]) => ({ outcome_type: '', entries: ids.flatMap((id) => cited.get(id) ?? []) })),
  );
  const entry_count = edges + ties.length;
  if (entry_count === 0) return undefined;
  const following = entries.filter(({ pattern_refs }) => pattern_refs !== '[]').slice(0, MAP_ENTRIES);
  const shown = sortedNumbers([...following.map(({ entry_id }) => entry_id), ...ends]);
  return { parts: { ...NO_PARTS, shown, outcomes }, entry_count, is_shown: 1 };
}

/** What a digest is made of; undefined where there is nothing left. */
function partsFor(one: Pending, entries: readonly CitedEntry[]): CompiledParts | undefined {
  const { digest_type, before, outcomes: added, count } = one;
  if (digest_type === 'trace_pattern') {
    const outcomes = mergeOutcomes(before.outcomes, added, PATTERN_OUTCOMES);
    const is_shown = Number(outcomes.length >= LEAST_SUCCESSES);
    return count <= 0 ? undefined : { parts: { ...NO_PARTS, outcomes }, entry_count: outcomes.length, is_shown };
  }
  const outcomes = mergeOutcomes(before.outcomes, added, ENTITY_OUTCOMES);
  const hasEntries = one.lists ? count > 0 : entries.length > 0;
  // What an agent did counts also where it wrote nothing.
  if (!hasEntries && (isAboutPath(digest_type) || outcomes.length === 0)) return undefined;
  const lists = one.lists ?? chooseEntries(entries);
  return { parts: { ...lists, outcomes }, entry_count: count, is_shown: Number(hasEntries) };
}

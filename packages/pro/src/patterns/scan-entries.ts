import {
  entryNode,
  findTraces,
  fragment,
  inTurns,
  isContradiction,
  listLastReaders,
  listReadersAt,
  listReadersOf,
  MAIN_BRANCH,
  seqAt,
} from '@mem-service/server/module';
import { isLookedAt, nextEntries, PATH_END, type PagedEntry, toLooked } from './entry-pages.ts';
import { confidenceDrift } from './rules/confidence-drift.ts';
import { knowledgeConflict } from './rules/conflict.ts';
import { hotEntity } from './rules/hot-entity.ts';
import { DAY_MS, type LookedEntry, MAX_COMPARED, PathFacts } from './rules/path-facts.ts';
import { recurringFailure } from './rules/recurring-failure.ts';
import { redundantWrites } from './rules/redundant.ts';
import { onlyAuthor, singlePoint } from './rules/single-point.ts';
import { failedLately, mayBeStaleCluster, staleCluster, staleKnowledge } from './rules/stale.ts';
import type { ScanRun } from './scan-run.ts';

/** How far a scan has come: the last entry, and the path that is not done with it. */
type PlaceInPaths = { after: readonly [path: string, key: string]; path: PathFacts | undefined };

/** So many entries of one path are read before a rest, if the path does not end before. */
const READ_WITHOUT_REST = MAX_COMPARED;

/**
 * Goes through the entries by path, and looks at each path when all of it is known. It rests where a path ends: what is alive over
 * a rest moves to where memory is rarely freed, and most of what is read would gather there.
 */
export async function scanEntries(run: ScanRun): Promise<void> {
  const { row, terms, query } = run;
  const staleSeq = await seqAt(query, row.account_id, terms.at - terms.stale_days * DAY_MS);
  let place: PlaceInPaths = { after: [row.entity_path ?? '', PATH_END], path: undefined };
  let donePath = row.entity_path;
  let unrested = 0;
  for (let isLast = false; !isLast && !run.isOver; ) {
    const page = await scanPage(run, place, staleSeq);
    ({ isLast, place } = page);
    donePath = page.donePath ?? donePath;
    run.count('scanned_entries', page.read);
    unrested += page.read;
    if (place.path && unrested < READ_WITHOUT_REST) continue;
    await run.endOfPart({ entity_path: donePath });
    unrested = 0;
  }
}

type ScannedPage = { place: PlaceInPaths; read: number; donePath: string | undefined; isLast: boolean };

/** Reads a page, and looks at the paths that end in it. The page after one that ends within a path has the rest of that path only. */
async function scanPage(run: ScanRun, { after, path: begun }: PlaceInPaths, staleSeq: number): Promise<ScannedPage> {
  const { rows, isFull } = await nextEntries(run, after, begun?.entity_path);
  let path = begun;
  let donePath: string | undefined;
  const end = async () => {
    if (path) await lookAtPath(run, path, staleSeq);
    donePath = path?.entity_path ?? donePath;
    path = undefined;
  };
  for (const { entity_path, entry } of await toLooked(run, rows.filter(isLookedAt), firstOfEachPath(begun))) {
    if (path?.entity_path !== entity_path) await end();
    path ??= new PathFacts(entity_path);
    path.add(entry);
  }
  const last = rows.at(-1);
  if (!isFull || path?.entity_path !== last?.entity_path) await end();
  const reached = begun && !isFull ? ([begun.entity_path, PATH_END] as const) : after;
  return {
    place: { after: isFull && last ? [last.entity_path, last.key] : reached, path },
    ...{ read: rows.length, donePath, isLast: !isFull && begun === undefined },
  };
}

/** Whether an entry is one of those of its path that are compared. To be asked in order. */
function firstOfEachPath(begun: PathFacts | undefined): (row: PagedEntry) => boolean {
  let path = begun?.entity_path;
  let n = begun?.entries.length ?? 0;
  return ({ entity_path }) => {
    n = entity_path === path ? n + 1 : 1;
    path = entity_path;
    return n <= MAX_COMPARED;
  };
}

async function lookAtPath(run: ScanRun, path: PathFacts, staleSeq: number): Promise<void> {
  const { terms } = run;
  const pairs = await inTurns(run.texts.pairsOf(path.entries, terms.similarity_threshold));
  const texts = { pairs, contradicts: isContradiction };
  const author = onlyAuthor(path);
  const found = [
    recurringFailure(path, terms),
    confidenceDrift(path, terms),
    hotEntity(path, terms),
    staleKnowledge(path, terms),
    await inTurns(knowledgeConflict(path, terms, texts)),
    await inTurns(redundantWrites(path, texts)),
    author === undefined ? undefined : singlePoint(path, author, await readersOf(run, path)),
    mayBeStaleCluster(path, terms) ? await staleClusterIfRead(run, path, staleSeq) : undefined,
  ];
  for (const finding of found) if (finding) run.report(finding);
}

const ENTRIES_ASKED = 50;
const MOST_READERS = 20;

/** The entries of a path that are read most. */
function mostRead(path: PathFacts): LookedEntry[] {
  const read = path.entries.filter(({ recall_count }) => recall_count > 0);
  return read.toSorted((a, b) => b.recall_count - a.recall_count || a.entry_id - b.entry_id).slice(0, ENTRIES_ASKED);
}

/** The agents that have read one of them. */
function readersOf({ query, dialect, row }: ScanRun, path: PathFacts): Promise<string[]> {
  const most = mostRead(path);
  if (most.length === 0) return Promise.resolve([]);
  const nodes = dialect.texts(most.map(({ entry_id }) => entryNode(entry_id)));
  return listReadersOf(query, { account_id: row.account_id, branch: MAIN_BRANCH, nodes, limit: MOST_READERS });
}

const TRACES_ASKED = 20;
/** Reads that no outcome rested on; those of failures are in the lines of the entries. */
const UNLEDGERED = fragment('in_ledger = 0');

async function staleClusterIfRead(run: ScanRun, path: PathFacts, staleSeq: number) {
  const { query, row, terms } = run;
  const viewer = { account_id: row.account_id, agent_id: '', scope: undefined };
  const part = { entity_path: path.entity_path, before: Number.MAX_SAFE_INTEGER, limit: TRACES_ASKED };
  const seqs = await listReadersAt(query, viewer, { ...part, where: [UNLEDGERED] });
  const recent = seqs.filter((seq) => seq >= staleSeq);
  const traces = await findTraces(query, row.account_id, recent);
  const shown = traces.filter((trace) => trace?.branch === MAIN_BRANCH && trace.visible_to === '');
  const ids = new Set([...shown.flatMap((trace) => trace?.trace_id ?? []), ...failedLately(path, terms)]);
  const agents = ids.size > 0 ? [] : await recentReadersOf(run, path, staleSeq);
  return ids.size + agents.length === 0 ? undefined : staleCluster(path, terms, { trace_ids: [...ids], agents });
}

/** The agents that have read entries of others there, whether or not an outcome has sealed their sessions. */
async function recentReadersOf({ query, dialect, row }: ScanRun, path: PathFacts, staleSeq: number): Promise<string[]> {
  const keys = mostRead(path).map(({ key }) => key);
  if (keys.length === 0) return [];
  const { entity_path } = path;
  const part = { account_id: row.account_id, branch: MAIN_BRANCH, entity_path, since: staleSeq };
  return listLastReaders(query, { ...part, keys: dialect.texts(keys) });
}

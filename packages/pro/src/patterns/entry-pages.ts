import {
  type EntryRow,
  EVERYONE,
  entriesIn,
  evidenceStatus,
  familyOf,
  findOutcomes,
  findVersions,
  fragment,
  listLinesAbout,
  MAIN_BRANCH,
  parseOutcomeType,
  pause,
  sql,
  standingOf,
  textOfValue,
  type VersionNumber,
} from '@mem-service/server/module';
import { hasFailed } from '../segments/index.ts';
import {
  DAY_MS,
  type LookedEntry,
  type OutcomeLineFacts,
  RECENT_DAYS,
  type VersionOfEntry,
} from './rules/path-facts.ts';
import type { ScanRun } from './scan-run.ts';

const PAGE = 200;
const NONE: readonly never[] = [];
/** Longer documents are not compared. */
const COMPARED_BYTES = 4096;
const COLUMNS = [
  ...(['entry_id', 'entity_path', 'key', 'version', 'seq', 'agent_id', 'written_at', 'memory_type'] as const),
  ...(['content_hash', 'confidence', 'recall_count', 'standing', 'ttl_at', 'is_artifact'] as const),
] as const;
const SELECTED = fragment(
  `${COLUMNS.join(', ')}, CASE WHEN octet_length(document) <= ${COMPARED_BYTES} THEN document END AS document`,
);

export type PagedEntry = Pick<EntryRow, (typeof COLUMNS)[number]> & { document: string | null };

/** After every key of a path. */
export const PATH_END = '\u{10ffff}';

/** The next entries on `main` that everyone may see, by path and key, up to the end of a path. */
export async function nextEntries(
  { query, view, paths }: ScanRun,
  [path, key]: readonly [path: string, key: string],
  lastPath = PATH_END,
): Promise<{ rows: PagedEntry[]; isFull: boolean }> {
  const part = { paths: paths && [paths], standings: true };
  const rows = await query.all<PagedEntry>(
    sql`SELECT ${SELECTED} FROM ${entriesIn(view, part)} WHERE (entity_path, key) > (${path}, ${key}) AND entity_path <= ${lastPath}
        ORDER BY entity_path, key LIMIT ${PAGE}`,
  );
  return { rows, isFull: rows.length === PAGE };
}

/** What expires by itself is out of date by nature, and files are alike. */
export const isLookedAt = ({ ttl_at, is_artifact }: PagedEntry): boolean => ttl_at === null && is_artifact === 0;

/** Entries as the rules look at them; those that are not compared without versions, outcomes and texts. */
export async function toLooked(
  run: ScanRun,
  rows: readonly PagedEntry[],
  isCompared: (row: PagedEntry) => boolean,
): Promise<{ entity_path: string; entry: LookedEntry }[]> {
  const compared = rows.filter(isCompared);
  const versions = await earlierVersions(run, compared);
  const lines = await recentLines(run, compared);
  const looked: { entity_path: string; entry: LookedEntry }[] = [];
  const known = new Set(compared);
  for (const row of rows) {
    const turn = pause();
    if (turn !== undefined) await turn;
    const { entity_path, entry_id, key, version, seq, agent_id, written_at, memory_type, content_hash, confidence } =
      row;
    const standing = standingOf(row);
    const past = versions.get(entry_id);
    const entry: LookedEntry = {
      entry_id,
      key,
      family: familyOf(key),
      version,
      seq,
      agent_id,
      written_at,
      memory_type,
      content_hash,
      confidence,
      created_at: past?.created_at ?? written_at,
      evidence_status: evidenceStatus(standing, confidence),
      recall_count: row.recall_count,
      confirmed_at: confirmedAt(standing, lines.get(entry_id)),
      text: known.has(row) ? textOf(row) : undefined,
      versions: past?.versions ?? NONE,
      lines: lines.get(entry_id) ?? NONE,
    };
    looked.push({ entity_path, entry });
  }
  return looked;
}

const textOf = ({ document }: PagedEntry): string | undefined =>
  document === null ? undefined : textOfValue((JSON.parse(document) as { value: unknown }).value);

/** Versions of one entry that are looked at. */
const MOST_VERSIONS = 40;
const LOOKED_UP_AT_ONCE = 500;

type PastVersions = { created_at: number; versions: VersionOfEntry[] };

/** The newest versions of entries that were changed lately, the newest first, and when the first was written. */
async function earlierVersions(
  { query, row, terms }: ScanRun,
  rows: readonly PagedEntry[],
): Promise<Map<number, PastVersions>> {
  const since = terms.at - RECENT_DAYS * DAY_MS;
  const changed = rows.filter(({ version, written_at }) => version > 1 && written_at >= since);
  const numbers = changed.flatMap(({ entry_id, version }): VersionNumber[] => {
    const newest = Array.from({ length: Math.min(version, MOST_VERSIONS) }, (_, i) => version - i);
    return [...newest, ...(newest.at(-1) === 1 ? [] : [1])].map((one) => ({ entry_id, version: one }));
  });
  const found = new Map<number, PastVersions>();
  for (let from = 0; from < numbers.length; from += LOOKED_UP_AT_ONCE) {
    const some = numbers.slice(from, from + LOOKED_UP_AT_ONCE);
    for (const one of await findVersions(query, row.account_id, some)) {
      if (!one) continue;
      const past = found.get(one.entry_id) ?? { created_at: one.written_at, versions: [] };
      found.set(one.entry_id, past);
      past.created_at = Math.min(past.created_at, one.written_at);
      const { version, agent_id, written_at, content_hash, deleted, shared } = one;
      const isAdjacent = past.versions.length === 0 || past.versions.at(-1)?.version === version + 1;
      if (isAdjacent && deleted === 0 && shared === 1)
        past.versions.push({ version, agent_id, written_at, content_hash });
    }
  }
  return found;
}

const ENTRIES_AT_ONCE = 50;
const LINES_OF_ONE = 50;

/** Where the newest outcome is a failure, the lines before it say when the last success was. */
function confirmedAt(
  { last_outcome, last_outcome_at }: ReturnType<typeof standingOf>,
  lines: readonly OutcomeLineFacts[] | undefined,
): number | null {
  if (lines === undefined || hasFailed(last_outcome) !== true) return last_outcome_at;
  return lines.find(({ failed }) => !failed)?.at ?? null;
}

/** What outcomes that everyone may see did to entries that failed lately, the newest first. */
async function recentLines(run: ScanRun, rows: readonly PagedEntry[]): Promise<Map<number, OutcomeLineFacts[]>> {
  const { query, dialect, row, terms } = run;
  const since = terms.at - Math.max(RECENT_DAYS, terms.stale_days) * DAY_MS;
  const failed = rows.filter((one) => {
    const { failure_count, last_outcome_at } = standingOf(one);
    return failure_count > 0 && last_outcome_at !== null && last_outcome_at >= since;
  });
  const found = new Map<number, OutcomeLineFacts[]>();
  for (let from = 0; from < failed.length; from += ENTRIES_AT_ONCE) {
    const ids = dialect.numbers(failed.slice(from, from + ENTRIES_AT_ONCE).map(({ entry_id }) => entry_id));
    const part = { ids, each: LINES_OF_ONE, most: ENTRIES_AT_ONCE * LINES_OF_ONE };
    const lines = await listLinesAbout(query, row.account_id, part);
    const seqs = [...new Set(lines.map(({ seq }) => seq))];
    const outcomes = new Map((await findOutcomes(query, row.account_id, seqs)).map((one) => [one?.seq, one]));
    run.count('scanned_outcomes', seqs.length);
    for (const { seq, entry_id, version, confidence_before, confidence_after } of lines) {
      await pause();
      const outcome = outcomes.get(seq);
      if (outcome?.visible_to !== EVERYONE || outcome.branch !== MAIN_BRANCH) continue;
      const { outcome_type, committed_at: at, trace_id } = outcome;
      const failed = hasFailed(outcome_type) === true;
      const line = { seq, version, confidence_before, confidence_after, failed, at, trace_id };
      found.set(entry_id, [
        ...(found.get(entry_id) ?? []),
        { ...line, critical: parseOutcomeType(outcome_type) === 'critical_failure' },
      ]);
    }
  }
  for (const lines of found.values()) lines.sort((a, b) => b.seq - a.seq);
  return found;
}

import {
  EVERYONE,
  findEntriesByNumber,
  findTraces,
  findVersions,
  isQuarantined,
  mayAgentSee,
  type Output,
  type Query,
  type ReadContext,
  toIso,
  toIsoOrNull,
} from '@mem-service/server/module';
import type { LedgerOfVersion } from '../attribution/index.ts';
import { listRunsOn, toRun } from '../cases/index.ts';
import { type FixedEntryRow, type FixRow, listEntriesOf, listEntryNames } from './queries.ts';
import { replayOf } from './replay.ts';
import { type RunsOfVersion, sinceProposed } from './rules/words.ts';

export type FixReader = Pick<ReadContext, 'caller' | 'services'> & { read: Query };
export type Fix = Output<'fixes.list'>['fixes'][number];
export type WholeFix = Output<'fixes.read'>;
type FixedEntry = WholeFix['entries'][number];
type FixChange = WholeFix['timeline'][number];

const MAX_RUNS = 20;

/** With the names of what they were proposed from, where it is still there and the reader may see it. */
export async function toFixes(reader: FixReader, rows: readonly FixRow[]): Promise<Fix[]> {
  const { read, caller } = reader;
  const { account_id, agent_id } = caller;
  const of = (kind: string) =>
    rows.filter(({ source_kind }) => source_kind === kind).map(({ source_seq }) => source_seq);
  const [seqs, numbers] = [of('verdict'), of('entry')];
  const [traces, heads, first] = await Promise.all([
    seqs.length === 0 ? [] : findTraces(read, account_id, seqs),
    findEntriesByNumber(
      read,
      account_id,
      numbers.map((entry_id) => ({ entry_id })),
    ),
    firstEntries(reader, rows),
  ]);
  const traceIds = new Map(seqs.map((seq, i) => [seq, traces[i]?.trace_id ?? null]));
  const seen = heads.map((head) => (head && mayAgentSee(head, agent_id) ? head : undefined));
  const names = new Map(numbers.map((entry_id, i) => [entry_id, seen[i]]));
  return rows.map((row) => {
    const { source_kind: kind, source_id, source_seq, source_version, judge_id, behavior_id } = row;
    const head = kind === 'entry' ? names.get(source_seq) : undefined;
    const source: Fix['source'] = {
      kind: kind as Fix['source']['kind'],
      judge_id,
      trace_id: kind === 'verdict' ? (traceIds.get(source_seq) ?? null) : null,
      behavior_id,
      incident_id: kind === 'incident' ? source_id : null,
      ...{ entity_path: head?.entity_path ?? null, key: head?.key ?? null, version: head ? source_version : null },
    };
    const first_entry = first.get(row.fix_id);
    return { ...toFix(row, source), ...(first_entry ? { first_entry } : {}) };
  });
}

/** By fix, the first entry that is still there and that the reader may see. */
async function firstEntries(
  { read, caller, services }: FixReader,
  rows: readonly FixRow[],
): Promise<Map<string, NonNullable<Fix['first_entry']>>> {
  const { account_id, agent_id } = caller;
  const names = await listEntryNames(read, services.database.dialect, rows);
  const heads = await findEntriesByNumber(read, account_id, names);
  const first = new Map<string, NonNullable<Fix['first_entry']>>();
  for (const [i, name] of names.entries()) {
    const head = heads[i];
    if (first.has(name.fix_id) || !head || !mayAgentSee(head, agent_id) || !isFor(name, agent_id)) continue;
    first.set(name.fix_id, { entity_path: head.entity_path, key: head.key });
  }
  return first;
}

const toFix = (row: FixRow, source: Fix['source']): Fix => ({
  fix_id: row.fix_id,
  status: row.status as Fix['status'],
  policy: row.policy as Fix['policy'],
  source,
  branch: row.branch,
  set_id: row.set_id,
  summary: row.summary,
  description: row.description,
  entry_count: row.entry_count,
  agent_id: row.agent_id,
  decided_by: row.decided_by,
  decision: row.decision,
  decided_at: toIsoOrNull(row.decided_at),
  merge_id: row.merge_id,
  case_run_id: row.case_run_id,
  created_at: toIso(row.created_at),
});

/** What branches and merges say of a fix, which more people see than the fix: of a private one nothing. */
export const shownSummary = ({ visible_to, summary }: FixRow): string[] => (visible_to === EVERYONE ? [summary] : []);

export async function toWholeFix(reader: FixReader, row: FixRow): Promise<WholeFix> {
  const { read } = reader;
  const [[fix], entries, replay, timeline] = await Promise.all([
    toFixes(reader, [row]),
    seenEntries(reader, row),
    replayOf(reader, row),
    timelineOf(read, row),
  ]);
  return { ...(fix as Fix), entries: entries.map(({ entry }) => entry), replay, timeline };
}

/** With its row; `isHeld` where it is under quarantine, and its value not for readers. */
export type SeenCorrection = { row: FixedEntryRow; entry: FixedEntry; isHeld: boolean };

/** The entries of a fix that are still there, and that the reader may see. */
export async function seenEntries(
  { read, caller }: FixReader,
  { account_id, fix_id, status }: FixRow,
): Promise<SeenCorrection[]> {
  const { agent_id } = caller;
  const rows = await listEntriesOf(read, account_id, fix_id);
  const [heads, versions] = await Promise.all([
    findEntriesByNumber(read, account_id, rows),
    findVersions(read, account_id, rows),
  ]);
  return rows.flatMap((row, i): SeenCorrection[] => {
    const head = heads[i];
    const blamed = versions[i];
    if (!head || !mayAgentSee(head, agent_id) || !isFor(row, agent_id)) return [];
    const { entity_path, key } = head;
    const entry = {
      ...{ entity_path, key, blamed_version: row.version, blamed_author: blamed?.agent_id ?? null },
      blamed_at: blamed ? toIso(blamed.written_at) : null,
      action: row.action as FixedEntry['action'],
      ...{ restored_version: row.restored_version, branch_version: row.branch_version },
      // What was approved has another version of its own.
      reason: `${status === 'proposed' ? sinceProposed(row, head) : ''}${row.reason}`,
      runs: row.runs === null ? null : (JSON.parse(row.runs) as RunsOfVersion),
      ledger: JSON.parse(row.ledger) as LedgerOfVersion,
    };
    return [{ row, entry, isHeld: isQuarantined(head) }];
  });
}

const isFor = ({ visible_to }: Pick<FixedEntryRow, 'visible_to'>, agentId: string): boolean =>
  visible_to === '' || visible_to === agentId;

async function timelineOf(query: Query, row: FixRow): Promise<FixChange[]> {
  const { account_id, set_id, branch, agent_id, description, created_at } = row;
  const runs = await listRunsOn(query, account_id, { set_id, branch, limit: MAX_RUNS });
  const replays = runs.map((run): FixChange => {
    const { passed, cases, case_run_id, agent_id: by, created_at: at } = toRun(run);
    const reason = `${passed} of ${cases} cases passed`;
    return { change: 'replayed', agent_id: by, reason, case_run_id, created_at: at };
  });
  const proposed: FixChange = {
    ...{ change: 'proposed', agent_id, reason: description, case_run_id: null, created_at: toIso(created_at) },
  };
  return [...decided(row), ...replays, proposed];
}

function decided({ status, decided_by, decided_at, decision, case_run_id }: FixRow): FixChange[] {
  if (status === 'proposed' || decided_at === null) return [];
  const change = status as 'approved' | 'dismissed';
  return [{ change, agent_id: decided_by ?? '', reason: decision, case_run_id, created_at: toIso(decided_at) }];
}

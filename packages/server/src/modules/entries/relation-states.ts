import { andAll, emptySql, fragment, joinSql, type Sql, sql } from '../../db/index.ts';
import type { BranchSpan, EntryView } from '../../kernel/index.ts';
import { evidenceRankSql } from './evidence-sql.ts';
import { insertKept } from './kept-entries.ts';
import { headsOf, isAmong, keptOf, type NameSql, pastOf } from './relation-heads.ts';
import { versionColumns } from './rows.ts';
import { joinStanding, standingColumns } from './standings.ts';

/**
 * The state of each entry in the view's lineage, without a visibility check. A nearer span hides the same name in a farther
 * one.
 */
export function statesIn(view: EntryView, shown: ShownColumns): Sql {
  const states = view.lineage.flatMap((span, i) =>
    statesOfSpan(view, { span, nearer: view.lineage.slice(0, i), ...shown }),
  );
  return joinSql(states, ' UNION ALL ');
}

type ShownColumns = { columns: readonly string[]; standings: boolean; named?: NameSql | undefined };
type StatesOfSpan = ShownColumns & { span: BranchSpan; nearer: readonly BranchSpan[] };

/**
 * Of a span that ends: rows that have not changed since, rows as they were kept, and where neither is there the version of then.
 */
function statesOfSpan(view: EntryView, shown: StatesOfSpan): Sql[] {
  const { span, nearer, columns, standings, named } = shown;
  const { account_id } = view;
  const heads = headsOf(view, span.branch, named);
  const joined: Sql = standings ? { text: joinStanding(view.dialect, 'head'), values: [account_id] } : emptySql;
  const ofSpan = sql`head.account_id = ${account_id} AND head.branch = ${span.branch}${isAmong(named)}${andAll(nearer.map((one) => isNotIn(account_id, one)))}`;
  const { up_to_seq } = span;
  if (up_to_seq === null) return [sql`SELECT ${shownColumns(columns)} FROM ${heads} AS head${joined} WHERE ${ofSpan}`];
  const isJudgedThen = standings
    ? sql` AND (standings.line_seq IS NULL OR standings.line_seq <= ${up_to_seq})`
    : emptySql;
  // Not by the index on `seq` on SQLite: most entries are older than the fork, and a page is read in its own order.
  const seq = fragment(view.dialect.engine === 'sqlite' ? '+head.seq' : 'head.seq');
  const isOfThen = sql`${seq} <= ${up_to_seq}${isJudgedThen}`;
  const unchanged = sql`SELECT ${shownColumns(columns)} FROM ${heads} AS head${joined} WHERE ${ofSpan} AND ${isOfThen}`;
  const kept = keptStates(view, { ...shown, up_to_seq, ofSpan, joined });
  if (span.is_kept) return [unchanged, kept];
  const isJudgedLater = standings ? sql` OR standings.line_seq > ${up_to_seq}` : emptySql;
  const isLater = sql`head.entry_id <= ${up_to_seq} AND (head.seq > ${up_to_seq}${isJudgedLater})`;
  return [
    unchanged,
    kept,
    sql`SELECT ${pastColumns(view, columns)} FROM ${heads} AS head${joined}
        ${pastOf(view, up_to_seq)} WHERE ${ofSpan} AND ${isLater} AND ${isNotKept(account_id, up_to_seq)}`,
  ];
}

type KeptStates = StatesOfSpan & { up_to_seq: number; ofSpan: Sql; joined: Sql };

/** Without standings, an entry that was only judged since is not needed as it was kept: its row still has that content. */
function keptStates(view: EntryView, { span, columns, standings, named, up_to_seq, ofSpan, joined }: KeptStates): Sql {
  const { account_id, dialect } = view;
  const versions: Sql = { text: dialect.leftJoin('versions', ON_KEPT_VERSION), values: [account_id] };
  const isRewritten = sql` AND (SELECT now.seq FROM entries AS now WHERE now.account_id = ${account_id}
      AND now.entry_id = head.entry_id) > ${up_to_seq}`;
  return sql`SELECT ${keptColumns(view, columns)} FROM ${keptOf(view, { branch: span.branch, up_to_seq, named })} AS head${versions}${joined}
      WHERE ${ofSpan} AND head.since_seq <= ${up_to_seq} AND head.until_seq > ${up_to_seq}${standings ? emptySql : isRewritten}`;
}

const ON_KEPT_VERSION =
  'versions.account_id = ? AND versions.entry_id = head.entry_id AND versions.version = head.version';

const isNotKept = (account_id: string, upToSeq: number): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM kept_entries AS kept WHERE kept.account_id = ${account_id}
    AND kept.entry_id = head.entry_id AND kept.since_seq <= ${upToSeq} AND kept.until_seq > ${upToSeq})`;

/** Both engines know the size of a text without reading it. */
const bytesOf = (table: 'head' | 'past' | 'versions') => `octet_length(${table}.document)`;

/** What is under quarantine is so in every earlier state. */
const stateOf = (now: string, then: 'head' | 'past'): string =>
  `CAST(CASE WHEN ${now} = 2 THEN 2 ELSE ${then}.deleted END AS BIGINT)`;

const STATE_NOW = '(SELECT now.deleted FROM entries AS now WHERE now.account_id = ? AND now.entry_id = head.entry_id)';

const stoodColumns = standingColumns('head', 'standings');

const selected = (columns: readonly string[], from: (name: string) => string): Sql =>
  fragment(columns.map((name) => `${from(name)} AS ${name}`).join(', '));

/** Without standings, no column of theirs is among them. */
function shownColumns(columns: readonly string[]): Sql {
  const own: Readonly<Record<string, string>> = { ...stoodColumns, document_bytes: bytesOf('head') };
  return selected(columns, (name) => own[name] ?? `head.${name}`);
}

/**
 * Recalls are counted per entry, whatever its state. Columns have the same affinity in all states (`+` takes it away): SQLite merges
 * them in order only then.
 */
function keptColumns({ account_id, dialect }: EntryView, columns: readonly string[]): Sql {
  const other: Record<string, string> = {
    confidence: '+head.confidence',
    standing_no: '+head.standing_no',
    recall_count: stoodColumns.recall_count as string,
    document_bytes: bytesOf('versions'),
    deleted: stateOf(STATE_NOW, 'head'),
    evidence_rank: evidenceRankSql(dialect.engine, { standing: 'head.standing', confidence: 'head.confidence' }),
  };
  const from = (name: string) => other[name] ?? `${name in insertKept.columns ? 'head' : 'versions'}.${name}`;
  return { text: selected(columns, from).text, values: columns.includes('deleted') ? [account_id] : [] };
}

/** The number of an entry is the `seq` of its first version. */
function isNotIn(account_id: string, { branch, up_to_seq }: BranchSpan): Sql {
  const until = up_to_seq === null ? emptySql : sql` AND nearer.entry_id <= ${up_to_seq}`;
  return sql`NOT EXISTS (SELECT 1 FROM entries AS nearer WHERE nearer.account_id = ${account_id}
    AND nearer.branch = ${branch} AND nearer.entity_path = head.entity_path AND nearer.key = head.key${until})`;
}

/**
 * The past state of an entry that was written or judged since: the columns of its version, with the confidence as written.
 * The standing at that time is not stored. Recalls are counted per entry, not per version.
 */
function pastColumns({ dialect }: EntryView, columns: readonly string[]): Sql {
  const member = (path: readonly string[], as: 'text' | 'flag') => dialect.jsonMember('past.document', path, as);
  const past: Record<string, string> = {
    confidence: '+past.confidence',
    memory_type: `CAST(${member(['memory_type'], 'text')} AS TEXT)`,
    is_artifact: `CAST(${member(['is_artifact'], 'flag')} AS BIGINT)`,
    pattern_refs: `CAST(${member(['provenance', 'pattern_refs'], 'text')} AS TEXT)`,
    standing: 'CAST(NULL AS TEXT)',
    standing_no: '0',
    recall_count: stoodColumns.recall_count as string,
    document_bytes: bytesOf('past'),
    deleted: stateOf('head.deleted', 'past'),
    line_seq: 'CAST(NULL AS BIGINT)',
    line_no: 'CAST(NULL AS BIGINT)',
    evidence_rank: 'CAST(NULL AS BIGINT)',
  };
  return selected(columns, (name) => past[name] ?? `${name in versionColumns ? 'past' : 'head'}.${name}`);
}

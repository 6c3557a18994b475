import { andAll, fragment, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';

/** The entries that are to go: those in reach of the glob that the agent may see. */
export type Target = {
  account_id: string;
  branch: string;
  agent_id: string;
  paths: readonly Sql[];
  keys: readonly Sql[];
};

const reached = ({ account_id, branch, paths, keys }: Target): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll([...paths, ...keys])}`;

const doomed = (target: Target): Sql => sql`${reached(target)} AND (shared = 1 OR agent_id = ${target.agent_id})`;

/** Of rows of another table: they name an entry that is to go, or where they name none, the path of one. */
export function isAboutDoomed(target: Target): (table: string, columns: 'path' | 'path and key') => Sql {
  const { account_id, branch, agent_id, keys } = target;
  return (table, columns) => {
    const key = columns === 'path' ? '' : `AND (${table}.key IS NULL OR doomed.key = ${table}.key)`;
    return sql`EXISTS (SELECT 1 FROM entries AS doomed WHERE doomed.account_id = ${account_id} AND doomed.branch = ${branch}
      AND doomed.entity_path = ${fragment(`${table}.entity_path`)} ${fragment(key)}
      AND (doomed.shared = 1 OR doomed.agent_id = ${agent_id})${andAll(keys)})`;
  };
}

/** Of versions, by the entries they belong to. */
const targeted = (target: Target): Sql =>
  sql`account_id = ${target.account_id} AND entry_id IN (SELECT entry_id FROM entries WHERE ${doomed(target)})`;

export type Doomed = {
  entry_id: number;
  branch: string;
  entity_path: string;
  key: string;
  seq: number;
  deleted: number;
  shared: number;
  agent_id: string;
  memory_type: string;
  confidence: number;
  pattern_refs: string;
  written_at: number;
};

export function listDoomed(query: Query, target: Target): Promise<Doomed[]> {
  return query.all<Doomed>(
    sql`SELECT entry_id, branch, entity_path, key, seq, deleted, shared, agent_id, memory_type, confidence, pattern_refs, written_at
        FROM entries WHERE ${doomed(target)}`,
  );
}

/** All that bear the names, also those that the agent may not see. */
export async function listReached(query: Query, target: Target): Promise<number[]> {
  const rows = await query.all<{ entry_id: number }>(sql`SELECT entry_id FROM entries WHERE ${reached(target)}`);
  return rows.map(({ entry_id }) => entry_id);
}

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

export function countVersions(query: Query, target: Target): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM versions WHERE ${targeted(target)}`);
}

/** A stored answer knows the path, not the key, so all answers of a path go; one of many writes knows neither. */
const answersOf = ({ account_id, paths }: Target): Sql =>
  sql`account_id = ${account_id} AND (entity_path IS NULL OR (true${andAll(paths)}))`;

export function countAnswers(query: Query, target: Target): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM stored_answers WHERE ${answersOf(target)}`);
}

export function deleteAnswers(tx: Transaction, target: Target): Promise<number> {
  return tx.run(sql`DELETE FROM stored_answers WHERE ${answersOf(target)}`);
}

const ERASED = '{"erased":true}';

/** The log keeps its numbers and forgets what they were about. */
export async function redactEvents(tx: Transaction, target: Target): Promise<number> {
  const writes = await tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED}
        WHERE account_id = ${target.account_id} AND seq IN (SELECT seq FROM versions WHERE ${targeted(target)})`,
  );
  const reads = await tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED}
        WHERE ${reached(target)} AND event_type = 'cross_agent_read'`,
  );
  return writes + reads;
}

export function countEvents(query: Query, target: Target): Promise<number> {
  return countOf(
    query,
    sql`SELECT count(*) AS n FROM events WHERE ${reached(target)} AND event_type = 'cross_agent_read'`,
  );
}

/** The audit trail keeps who did something and when; what it was done to is now known to the receipt alone. */
export function redactAudit(tx: Transaction, target: Target & { receipt_id: string }): Promise<number> {
  return tx.run(
    sql`UPDATE audit SET resource = ${`erased ${target.receipt_id}`}, before_hash = NULL, after_hash = NULL,
          subject_salt = NULL WHERE account_id = ${target.account_id}
        AND resource IN (SELECT entity_path || '/' || replace(replace(key, '%', '%25'), '/', '%2F') FROM entries WHERE ${doomed(target)})`,
  );
}

/** Commits that wrote nothing else. */
const emptied = (target: Target): Sql =>
  sql`account_id = ${target.account_id} AND commit_id IN (SELECT commit_id FROM versions WHERE ${targeted(target)})
      AND NOT EXISTS (SELECT 1 FROM versions AS other WHERE other.account_id = ${target.account_id}
        AND other.commit_id = commits.commit_id
        AND other.entry_id NOT IN (SELECT entry_id FROM entries WHERE ${doomed(target)}))`;

export function countCommits(query: Query, target: Target): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM commits WHERE ${emptied(target)}`);
}

export async function deleteCommits(tx: Transaction, target: Target): Promise<number> {
  await tx.run(
    sql`UPDATE events SET details = ${ERASED} WHERE account_id = ${target.account_id}
        AND seq IN (SELECT seq FROM commits WHERE ${emptied(target)})`,
  );
  return tx.run(sql`DELETE FROM commits WHERE ${emptied(target)}`);
}

export async function deleteEntries(tx: Transaction, target: Target): Promise<number> {
  const versions = await tx.run(sql`DELETE FROM versions WHERE ${targeted(target)}`);
  await tx.run(sql`DELETE FROM entries WHERE ${doomed(target)}`);
  return versions;
}

/**
 * How many erasures wait for the file to be compacted. It is kept in a number that SQLite has in the head of its file
 * for such use, so that a process that ends too early leaves the rest to the next one.
 */
export async function countUncompacted(tx: Transaction): Promise<number> {
  return (await tx.get<{ user_version: number }>(fragment('PRAGMA user_version')))?.user_version ?? 0;
}

export function setUncompacted(tx: Transaction, count: number): Promise<number> {
  return tx.run(fragment(`PRAGMA user_version = ${count}`));
}

export const indexes = ['entry_words', 'trace_words'] as const;
type Index = (typeof indexes)[number];

/**
 * One step of rewriting the index as one part, which leaves out the words of what was deleted. Says whether more is to
 * do: a step that finds nothing to merge changes a row at most.
 */
export async function mergeWords(tx: Transaction, index: Index, pages: number): Promise<boolean> {
  const changes = async () => (await tx.get<{ n: number }>(sql`SELECT total_changes() AS n`))?.n ?? 0;
  const before = await changes();
  const name = fragment(index);
  await tx.run(sql`INSERT INTO ${name}(${name}, rank) VALUES ('merge', ${pages})`);
  return (await changes()) - before >= 2;
}

export async function fileSize(query: Query): Promise<number> {
  const pages = await query.get<{ page_count: number }>(fragment('PRAGMA page_count'));
  const page = await query.get<{ page_size: number }>(fragment('PRAGMA page_size'));
  return (pages?.page_count ?? 0) * (page?.page_size ?? 0);
}

export const rewriteFile: Sql = fragment('VACUUM main');
export const emptyWal: Sql = fragment('PRAGMA wal_checkpoint(TRUNCATE)');

export const freeRows: readonly Sql[] = [
  'entries',
  'versions',
  'events',
  'audit',
  'stored_answers',
  'commits',
  'counts',
  'session_items',
  'evidence',
  'traces',
  'trace_items',
  'trace_ends',
  'sessions',
  'session_reads',
  'outcomes',
  'agents',
  'agent_profiles',
  'otel_spans',
  'otel_traces',
  'usage_days',
  'edges',
  'edge_statements',
].map((table) => fragment(`VACUUM ${table}`));

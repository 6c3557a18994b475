import { andAll, type Engine, fragment, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';

/** The entries that are to go: those in reach of the glob that the agent may see. */
export type Target = { account_id: string; branch: string; agent_id: string; places: readonly Sql[] };

const own = ({ account_id, branch, places }: Target): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll(places)}`;

const targeted = (target: Target): Sql =>
  sql`${own(target)} AND (entity_path, key) IN
      (SELECT entity_path, key FROM entries WHERE ${own(target)} AND (shared = 1 OR agent_id = ${target.agent_id}))`;

export type Doomed = {
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
    sql`SELECT branch, entity_path, key, seq, deleted, shared, agent_id, memory_type, confidence, pattern_refs, written_at
        FROM entries WHERE ${own(target)} AND (shared = 1 OR agent_id = ${target.agent_id})`,
  );
}

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

export function countVersions(query: Query, target: Target): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM versions WHERE ${targeted(target)}`);
}

const answersOf = ({ account_id, places }: Target): Sql =>
  sql`account_id = ${account_id} AND (entity_path IS NULL OR (true${andAll(places.slice(0, placesOnPath(places)))}))`;
/** Stored answers know the path, not the key; where a key was named, all answers of its path go. */
const placesOnPath = (places: readonly Sql[]) => places.filter((place) => place.text.includes('entity_path')).length;

export function countAnswers(query: Query, target: Target): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM stored_answers WHERE ${answersOf(target)}`);
}

export function deleteAnswers(tx: Transaction, target: Target): Promise<number> {
  return tx.run(sql`DELETE FROM stored_answers WHERE ${answersOf(target)}`);
}

const ERASED = '{"erased":true}';

/** The log keeps its numbers and forgets what they were about. */
export function redactEvents(tx: Transaction, target: Target): Promise<number> {
  return tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED}
        WHERE account_id = ${target.account_id} AND seq IN (SELECT seq FROM versions WHERE ${targeted(target)})`,
  );
}

/** Commits that wrote nothing else. */
const emptied = (target: Target): Sql =>
  sql`account_id = ${target.account_id} AND commit_id IN (SELECT commit_id FROM versions WHERE ${targeted(target)})
      AND NOT EXISTS (SELECT 1 FROM versions AS other WHERE other.account_id = ${target.account_id}
        AND other.commit_id = commits.commit_id AND NOT (other.branch = ${target.branch} AND (other.entity_path, other.key) IN
          (SELECT entity_path, key FROM entries WHERE ${own(target)} AND (shared = 1 OR agent_id = ${target.agent_id}))))`;

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
  await tx.run(sql`DELETE FROM entries WHERE ${own(target)} AND (shared = 1 OR agent_id = ${target.agent_id})`);
  return versions;
}

/** The words of erased entries linger in old parts of the full-text index, and freed rows in the WAL or the heap. */
export function compactionOf(engine: Engine): Sql[] {
  const tables = ['entries', 'versions', 'events', 'stored_answers', 'commits'];
  if (engine === 'postgres') return tables.map((table) => fragment(`VACUUM ${table}`));
  return [
    fragment(`INSERT INTO entry_words(entry_words) VALUES ('optimize')`),
    fragment('PRAGMA wal_checkpoint(TRUNCATE)'),
  ];
}

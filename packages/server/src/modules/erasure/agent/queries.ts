import { fragment, type Query, type Sql, sql, type Transaction } from '../../../db/index.ts';
import type { Doomed } from '../queries.ts';

/** An agent that is to be forgotten. */
export type Forgotten = { account_id: string; agent_id: string };
/** `alias` stands where its name stood. */
export type Renamed = Forgotten & { alias: string; receipt_id: string };

export type Authored = Doomed & { by_others: number };

/** Entries of which the agent wrote a version, and whether others did as well. */
export function listAuthored(query: Query, { account_id, agent_id }: Forgotten): Promise<Authored[]> {
  return query.all(
    sql`SELECT entry_id, branch, entity_path, key, seq, deleted, shared, agent_id, memory_type, confidence, pattern_refs,
          written_at, CASE WHEN EXISTS (SELECT 1 FROM versions WHERE versions.account_id = ${account_id}
            AND versions.entry_id = entries.entry_id AND versions.agent_id <> ${agent_id}) THEN 1 ELSE 0 END AS by_others
        FROM entries WHERE account_id = ${account_id}
          AND entry_id IN (SELECT versions.entry_id FROM versions WHERE versions.account_id = ${account_id}
            AND versions.agent_id = ${agent_id})
        ORDER BY entry_id`,
  );
}

const own = ({ account_id, agent_id }: Forgotten): Sql => sql`account_id = ${account_id} AND agent_id = ${agent_id}`;

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

/** How many rows of a table are the agent's. */
export const countOwn = (query: Query, table: OwnTable, forgotten: Forgotten): Promise<number> =>
  countOf(query, sql`SELECT count(*) AS n FROM ${fragment(table)} WHERE ${own(forgotten)}`);

type OwnTable = 'sessions' | 'traces' | 'events' | 'agent_profiles' | 'outcomes' | 'commits' | 'audit';

export const countVersions = (query: Query, accountId: string, entryIds: Sql): Promise<number> =>
  countOf(
    query,
    sql`SELECT count(*) AS n FROM versions WHERE account_id = ${accountId}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})`,
  );

export function listTraceSeqs(query: Query, forgotten: Forgotten): Promise<{ seq: number }[]> {
  return query.all(sql`SELECT seq FROM traces WHERE ${own(forgotten)}`);
}

const GONE = [
  'session_reads',
  'session_items',
  'sessions',
  'otel_spans',
  'otel_traces',
  'traces',
  'trace_ends',
  'agents',
  'agent_profiles',
] as const;

/** What is the agent's alone. */
export async function deleteOwn(tx: Transaction, forgotten: Forgotten): Promise<void> {
  const { account_id, agent_id } = forgotten;
  await tx.run(
    sql`DELETE FROM trace_items WHERE account_id = ${account_id}
        AND seq IN (SELECT seq FROM traces WHERE ${own(forgotten)})`,
  );
  for (const table of GONE) await tx.run(sql`DELETE FROM ${fragment(table)} WHERE ${own(forgotten)}`);
  await tx.run(sql`DELETE FROM agents WHERE account_id = ${account_id} AND visible_to = ${agent_id}`);
}

const ERASED = '{"erased":true}';
const SILENT = '{"decision_summary":null,"final_action_index":null,"attributes":{},"immutable_trace_id":null}';

/** The log keeps its numbers and forgets who did what. */
export async function renameInLog(tx: Transaction, forgotten: Renamed): Promise<void> {
  const { account_id, agent_id, alias } = forgotten;
  await tx.run(
    sql`UPDATE events SET agent_id = ${alias}, entity_path = NULL, key = NULL, version = NULL, details = ${ERASED},
          session = '' WHERE ${own(forgotten)}`,
  );
  await tx.run(
    sql`UPDATE events SET actor_agent_id = ${alias}, details = ${ERASED}
        WHERE account_id = ${account_id} AND actor_agent_id = ${agent_id}`,
  );
}

/** What outcomes did to entries of others has to add up, whoever told of them. */
export async function renameInLedger(tx: Transaction, forgotten: Renamed): Promise<void> {
  const { account_id, agent_id, alias } = forgotten;
  await tx.run(
    sql`UPDATE outcomes SET agent_id = ${alias}, session = '', outcome_ref = ${alias}, trace_id = NULL,
          document = ${SILENT} WHERE ${own(forgotten)}`,
  );
  await tx.run(sql`UPDATE evidence SET agent_id = ${alias} WHERE ${own(forgotten)}`);
  await tx.run(
    sql`UPDATE evidence SET written_by = ${alias} WHERE account_id = ${account_id} AND written_by = ${agent_id}`,
  );
}

export async function renameElsewhere(tx: Transaction, forgotten: Renamed): Promise<void> {
  const { account_id, agent_id, alias } = forgotten;
  await tx.run(sql`UPDATE commits SET agent_id = ${alias}, message = '', session_id = NULL WHERE ${own(forgotten)}`);
  await tx.run(
    sql`UPDATE counts SET last_agent = ${alias} WHERE account_id = ${account_id} AND last_agent = ${agent_id}`,
  );
  for (const table of ['events', 'outcomes', 'evidence', 'commits'])
    await tx.run(
      sql`UPDATE ${fragment(table)} SET visible_to = ${alias}
          WHERE account_id = ${account_id} AND visible_to = ${agent_id}`,
    );
}

/** The chain covers the agent by a hash. Lines of before there was a chain are covered by nothing. */
export async function renameInAudit(tx: Transaction, forgotten: Renamed): Promise<void> {
  const { account_id, agent_id, alias, receipt_id } = forgotten;
  await tx.run(
    sql`UPDATE audit SET agent_id = ${alias}, agent_salt = NULL
        WHERE ${own(forgotten)} AND (agent_hash IS NOT NULL OR hash IS NULL)`,
  );
  await tx.run(
    sql`UPDATE audit SET resource = ${`erased ${receipt_id}`}, before_hash = NULL, after_hash = NULL, subject_salt = NULL
        WHERE account_id = ${account_id} AND resource = ${agent_id}`,
  );
}

/** Answers that may quote it. */
export function deleteAnswers(tx: Transaction, { account_id, agent_id }: Forgotten): Promise<number> {
  return tx.run(
    sql`DELETE FROM stored_answers WHERE account_id = ${account_id} AND answer LIKE ${likeText(agent_id)} ESCAPE '!'`,
  );
}

/** A text as it stands in JSON, anywhere. */
const likeText = (text: string): string => `%${JSON.stringify(text).replace(/[!%_]/g, '!$&')}%`;

export type StandingRow = { entry_id: number; standing: string };

export function listStandings(query: Query, { account_id, agent_id }: Forgotten): Promise<StandingRow[]> {
  return query.all(
    sql`SELECT entry_id, standing FROM entries WHERE account_id = ${account_id} AND standing IS NOT NULL
          AND standing LIKE ${likeText(agent_id)} ESCAPE '!'`,
  );
}

export function setStanding(tx: Transaction, accountId: string, { entry_id, standing }: StandingRow): Promise<number> {
  return tx.run(
    sql`UPDATE entries SET standing = ${standing} WHERE account_id = ${accountId} AND entry_id = ${entry_id}`,
  );
}

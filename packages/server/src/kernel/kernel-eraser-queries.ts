import { andAll, type Query, type Sql, sql, type Transaction } from '../db/index.ts';
import type { ErasedAgent, ErasedEntries } from './erasers.ts';
import { ERASED_DETAILS } from './kernel-tables.ts';

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

/**
 * A stored answer has a path but no key, so all answers about the path are deleted; an answer to many writes has
 * neither.
 */
const answersAbout = ({ account_id, paths }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND (entity_path IS NULL OR (true${andAll(paths)}))`;

export function countAnswers(query: Query, erased: ErasedEntries): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM stored_answers WHERE ${answersAbout(erased)}`);
}

export function deleteAnswers(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE FROM stored_answers WHERE ${answersAbout(erased)}`);
}

/** A LIKE pattern for a text anywhere within JSON. */
export const likeJsonText = (text: string): string => `%${JSON.stringify(text).replace(/[!%_]/g, '!$&')}%`;

/** Deletes stored answers that may contain the name of an agent. */
export function deleteAnswersNaming(tx: Transaction, { account_id, agent_id }: ErasedAgent): Promise<number> {
  return tx.run(
    sql`DELETE FROM stored_answers WHERE account_id = ${account_id} AND answer LIKE ${likeJsonText(agent_id)} ESCAPE '!'`,
  );
}

const readsAbout = ({ account_id, branch, paths, keys }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll([...paths, ...keys])} AND event_type = 'cross_agent_read'`;

/** Events of reads only: those of writes are as many as the versions. */
export function countReadEvents(query: Query, erased: ErasedEntries): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM events WHERE ${readsAbout(erased)}`);
}

/** Removes names and details from events. The events themselves stay, so that `seq` has no gaps. */
export async function redactEvents(tx: Transaction, erased: ErasedEntries): Promise<number> {
  const writes = await tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED_DETAILS}
        WHERE account_id = ${erased.account_id} AND seq IN (${erased.versionSeqs})`,
  );
  const reads = await tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED_DETAILS}
        WHERE ${readsAbout(erased)}`,
  );
  return writes + reads;
}

/** For events whose names are in their details, not in columns. `seqs` is a one-column query. */
export function eraseEventDetails(tx: Transaction, accountId: string, seqs: Sql): Promise<number> {
  return tx.run(
    sql`UPDATE events SET details = ${ERASED_DETAILS} WHERE account_id = ${accountId} AND seq IN (${seqs})`,
  );
}

/** Replaces the subject of audit lines by the receipt. Who acted, and when, stays. */
export function redactAudit(
  tx: Transaction,
  { account_id, receipt_id }: Pick<ErasedEntries, 'account_id' | 'receipt_id'>,
  resources: Sql,
): Promise<number> {
  return tx.run(
    sql`UPDATE audit SET resource = ${`erased ${receipt_id}`}, before_hash = NULL, after_hash = NULL, subject_salt = NULL
        WHERE account_id = ${account_id} AND resource IN (SELECT value FROM ${resources})`,
  );
}

/** The chain covers the agent by a hash. Lines from before the chain existed are covered by nothing. */
export function renameInAudit(tx: Transaction, { account_id, agent_id, alias }: ErasedAgent): Promise<number> {
  return tx.run(
    sql`UPDATE audit SET agent_id = ${alias}, agent_salt = NULL WHERE account_id = ${account_id} AND agent_id = ${agent_id}
          AND (agent_hash IS NOT NULL OR hash IS NULL)`,
  );
}

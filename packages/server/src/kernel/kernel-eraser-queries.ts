import { andAll, type Query, type Sql, sql, type Transaction } from '../db/index.ts';
import type { ErasedAgent, ErasedEntries } from './erasers.ts';
import { ERASED_DETAILS } from './kernel-tables.ts';
import { ERASED_ANSWER } from './queries.ts';

const countOf = async (query: Query, statement: Sql) => (await query.get<{ n: number }>(statement))?.n ?? 0;

/**
 * Answers that name something, by the hashes of the names. Answers of an earlier version of the service, which kept no
 * names, may name anything.
 */
const answersNaming = (accountId: string, hashes: Sql): Sql =>
  sql`account_id = ${accountId} AND answer <> ${ERASED_ANSWER} AND idempotency_key IN (
    SELECT idempotency_key FROM answer_names WHERE account_id = ${accountId} AND name_hash IN (SELECT value FROM ${hashes})
    UNION ALL SELECT idempotency_key FROM stored_answers WHERE account_id = ${accountId} AND is_named = 0)`;

export function countAnswersNaming(query: Query, accountId: string, hashes: Sql): Promise<number> {
  return countOf(query, sql`SELECT count(*) AS n FROM stored_answers WHERE ${answersNaming(accountId, hashes)}`);
}

/** Their keys and the hashes of their requests stay, so that a retry is recognised and does nothing. */
export async function eraseAnswersNaming(tx: Transaction, accountId: string, hashes: Sql): Promise<number> {
  const erased = await tx.run(
    sql`UPDATE stored_answers SET answer = ${ERASED_ANSWER}, entity_path = NULL WHERE ${answersNaming(accountId, hashes)}`,
  );
  await tx.run(
    sql`DELETE FROM answer_names WHERE account_id = ${accountId} AND name_hash IN (SELECT value FROM ${hashes})`,
  );
  return erased;
}

/** A LIKE pattern for a text anywhere within JSON. */
export const likeJsonText = (text: string): string => `%${JSON.stringify(text).replace(/[!%_]/g, '!$&')}%`;

const readsAbout = ({ account_id, branch, paths, keys }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll([...paths, ...keys])} AND event_type = 'cross_agent_read'`;

/** Digests are about the path of an entry, and name no key. */
const digestsAbout = ({ account_id, branch, paths }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll(paths)} AND entity_path IS NOT NULL
      AND event_type = 'brief_compiled'`;

const deliveriesAbout = ({ account_id, branch, paths, keys }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch}${andAll([...paths, ...keys])}
      AND event_type IN ('webhook_ingested', 'dead_letter_replayed')`;

const otherEvents = (erased: ErasedEntries): Sql[] => [
  readsAbout(erased),
  digestsAbout(erased),
  deliveriesAbout(erased),
];

/** Events of reads, digests and deliveries only: those of writes are as many as the versions. */
export async function countOtherEvents(query: Query, erased: ErasedEntries): Promise<number> {
  let others = 0;
  for (const about of otherEvents(erased))
    others += await countOf(query, sql`SELECT count(*) AS n FROM events WHERE ${about}`);
  return others;
}

/** Removes names and details from events. The events themselves stay, so that `seq` has no gaps. */
export async function redactEvents(tx: Transaction, erased: ErasedEntries): Promise<number> {
  const writes = await tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED_DETAILS}
        WHERE account_id = ${erased.account_id} AND seq IN (${erased.versionSeqs})`,
  );
  let others = 0;
  for (const about of otherEvents(erased))
    others += await tx.run(
      sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED_DETAILS} WHERE ${about}`,
    );
  return writes + others;
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

import { andAll, fragment, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import { type AgentEraser, addStored, type EntryEraser, type ErasedEntries } from '../../kernel/index.ts';
import type { LetterRow } from './queries.ts';

/** What of a letter counts as storage of the account: what came from outside. */
export const textsOfLetter = ({ payload, headers }: Pick<LetterRow, 'payload' | 'headers'>) => [payload, headers];

/** The same in a statement. */
export const LETTER_BYTES = fragment('octet_length(payload) + octet_length(headers)');

async function sumLetters(query: Query, where: Sql): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(${LETTER_BYTES}), 0) AS BIGINT) AS n FROM dead_letters WHERE ${where}`,
  );
  return Number(row?.n ?? 0);
}

const namesErased = ({ account_id, paths, keys, names }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND entity_path IS NOT NULL${andAll([...paths, ...keys])}
    AND ${names('dead_letters', 'path and key')}`;

const deleteLetters = (tx: Transaction, where: Sql): Promise<number> =>
  tx.run(sql`DELETE FROM dead_letters WHERE ${where}`);

export const erasesEntries: EntryEraser = {
  async erase(work, erased) {
    const where = namesErased(erased);
    const bytes = await sumLetters(work.tx, where);
    if (bytes === 0) return undefined;
    addStored(work, { storage_bytes: -bytes });
    await deleteLetters(work.tx, where);
    return undefined;
  },
};

/** The declaration of the table deletes the letters of an agent. */
export const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    const where = sql`account_id = ${account_id} AND sender = ${agent_id}`;
    addStored(work, { storage_bytes: -(await sumLetters(work.tx, where)) });
  },
};

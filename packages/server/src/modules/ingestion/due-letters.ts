import { type Query, sql } from '../../db/index.ts';
import { activeAccounts } from '../../kernel/index.ts';
import type { LetterRow } from './queries.ts';

export type DueLetter = Pick<LetterRow, 'account_id' | 'letter_id'>;

/**
 * Letters of a connector that are to be tried again: the first of each account, then the second of each. Those of suspended
 * accounts wait.
 */
export function listDueLetters(
  query: Query,
  { connector, now, limit }: { connector: string; now: number; limit: number },
): Promise<DueLetter[]> {
  return query.all<DueLetter>(
    sql`SELECT account_id, letter_id FROM (
          SELECT account_id, letter_id, row_number() OVER (PARTITION BY account_id ORDER BY next_attempt_at, letter_id) AS turn
          FROM dead_letters WHERE connector = ${connector} AND next_attempt_at IS NOT NULL AND next_attempt_at <= ${now}
            AND account_id IN (${activeAccounts})
        ) AS due ORDER BY turn, account_id LIMIT ${limit}`,
  );
}

/** When the next letter of a connector is due. */
export async function nextDueAt(query: Query, connector: string): Promise<number | undefined> {
  const row = await query.get<{ next_attempt_at: number }>(
    sql`SELECT next_attempt_at FROM dead_letters WHERE connector = ${connector} AND next_attempt_at IS NOT NULL
          AND account_id IN (${activeAccounts})
        ORDER BY next_attempt_at LIMIT 1`,
  );
  return row?.next_attempt_at;
}

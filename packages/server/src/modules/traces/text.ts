import { type Sql, sql } from '../../db/index.ts';
import { type ReadContext, readAccount, type Work } from '../../kernel/index.ts';
import { everyTerm, indexedWords, rowidOf } from '../text/index.ts';
import * as queries from './queries.ts';
import type { Header } from './shape.ts';

/** Makes a trace findable by what was asked and answered. On PostgreSQL the words are a column of the trace. */
export function saveTrace(work: Work, row: queries.TraceRow, { task_input, response_text }: Header): void {
  const { tx, dialect, account } = work;
  const words = indexedWords(dialect.engine, account.number, [task_input ?? '', response_text ?? '']);
  if (dialect.engine === 'postgres') {
    work.send(tx.insertMany(queries.insertTracesWithWords, [{ ...row, search_words: words }]));
    return;
  }
  work.send(tx.insertMany(queries.insertTraces, [row]));
  if (words !== '')
    work.send(tx.insertMany(queries.insertTraceWords, [{ rowid: rowidOf(account.number, row.seq), words }]));
}

/** A condition: traces in which every term of a query is found. */
export async function matchingTraces(context: ReadContext, text: string): Promise<Sql> {
  const { caller, read, scan, dialect, services } = context;
  const account = await readAccount(read, caller.account_id);
  const expression = account && everyTerm(dialect.engine, account.number, text);
  if (!account || expression === undefined) return sql`1 = 0`;
  const limit = services.limits.max_scanned_entries;
  const rows = await queries.listMatches(scan, account, { engine: dialect.engine, expression, limit });
  return sql`seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(rows.map(({ seq }) => String(seq)))})`;
}

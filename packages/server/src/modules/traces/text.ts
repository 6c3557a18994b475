import { type Sql, sql } from '../../db/index.ts';
import { type ReadContext, readAccount, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { everyTermExpression, indexedWords, rowidOf } from '../text/index.ts';
import * as queries from './queries.ts';
import type { TraceHeader } from './shape.ts';
import { listMatches } from './word-queries.ts';

type TraceText = { row: queries.TraceRow; header: TraceHeader };

/** Indexes traces by the words of request and answer. On PostgreSQL the words are a column of the trace. */
export async function indexTraces(work: Work, heads: readonly TraceText[]): Promise<void> {
  const { tx, dialect, account } = work;
  const found: { row: queries.TraceRow; words: string }[] = [];
  for (const { row, header } of heads) {
    await pause();
    const { task_input, response_text } = header;
    found.push({ row, words: indexedWords(dialect.engine, account.number, [task_input ?? '', response_text ?? '']) });
  }
  if (dialect.engine === 'postgres') {
    const rows = found.map(({ row, words }) => ({ ...row, search_words: words }));
    work.send(tx.insertMany(queries.insertTracesWithWords, rows));
    return;
  }
  const rows = found.map(({ row }) => row);
  work.send(tx.insertMany(queries.insertTraces, rows));
  const spoken = found.filter(({ words }) => words !== '');
  if (spoken.length > 0)
    work.send(
      tx.insertMany(
        queries.insertTraceWords,
        spoken.map(({ row, words }) => ({ rowid: rowidOf(account.number, row.seq), words })),
      ),
    );
}

/** A condition: traces that contain every term of a query. */
export async function matchingTraces(context: ReadContext, text: string): Promise<Sql> {
  const { caller, read, scan, dialect, services } = context;
  const account = await readAccount(read, caller.account_id);
  const expression = account && everyTermExpression(dialect.engine, account.number, text);
  if (!account || expression === undefined) return sql`1 = 0`;
  const limit = services.limits.max_scanned_entries;
  const seqs = await listMatches(scan, account, { engine: dialect.engine, expression, limit });
  return sql`seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)})`;
}

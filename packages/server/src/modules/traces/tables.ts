import type { Row } from '../../db/index.ts';
import { exported, type TenantTable, type Work } from '../../kernel/index.ts';
import { upsertEnds } from './age/queries.ts';
import { insertTraceItems, insertTraces, type TraceRow } from './queries.ts';
import type { Header } from './shape.ts';
import { saveHeads } from './text.ts';

/** With the words that a trace is found by. */
async function restoreTraces(work: Work, rows: readonly Row[]): Promise<void> {
  const heads = (rows as unknown as readonly TraceRow[]).map((row) => ({
    row,
    header: JSON.parse(row.header) as Header,
  }));
  saveHeads(work, heads);
}

export const tables: readonly TenantTable[] = [
  exported(insertTraces, {
    kind: 'trace',
    key: ['seq'],
    nullable: ['outcome_ref', 'outcome_type', 'parent_hash', 'signature', 'key_id', 'header_hash'],
    json: ['header'],
    derived: ['search_words'],
    words: 'trace_words',
    restore: restoreTraces,
  }),
  exported(insertTraceItems, {
    kind: 'trace_item',
    key: ['seq', 'no'],
    nullable: ['entity_path', 'key', 'entry_id', 'data'],
    json: ['data'],
  }),
  exported(upsertEnds, { kind: 'trace_end', key: ['agent_id', 'session'] }),
  {
    table: 'otel_spans',
    key: ['trace_id', 'span_id'],
    left_out: 'which spans of exporters were taken, kept for a week to count a retry once',
  },
  { table: 'otel_traces', key: ['trace_id'], left_out: 'where the spans of exporters belong, kept as long' },
];

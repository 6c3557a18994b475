import type { Row } from '../../db/index.ts';
import { exported, kindIn, type TenantTable, type WordIndex, type Work } from '../../kernel/index.ts';
import { upsertEnds } from './age/queries.ts';
import { insertTraceItems, insertTraces, type TraceRow } from './queries.ts';
import { partKinds, type TraceHeader } from './shape.ts';
import { indexTraces } from './text.ts';

/** Restores traces with their search words. */
async function restoreTraces(work: Work, rows: readonly Row[]): Promise<void> {
  const heads = (rows as unknown as readonly TraceRow[]).map((row) => ({
    row,
    header: JSON.parse(row.header) as TraceHeader,
  }));
  await indexTraces(work, heads);
}

export const tables: readonly TenantTable[] = [
  exported(insertTraces, {
    kind: 'trace',
    key: ['seq'],
    nullable: ['outcome_ref', 'outcome_type', 'parent_hash', 'signature', 'key_id', 'header_hash', 'has_error'],
    json: ['header'],
    derived: ['search_words'],
    agents: {
      agent_id: { erased: 'delete the row', counted_as: 'traces' },
      visible_to: { erased: 'delete the row' },
    },
    unrelated: { key_id: 'the key that signed it' },
    restore: restoreTraces,
    stored: ({ header }) => [header as string | null],
  }),
  exported(insertTraceItems, {
    kind: 'trace_item',
    key: ['seq', 'no'],
    nullable: ['entity_path', 'key', 'entry_id', 'data'],
    json: ['data'],
    check: kindIn(partKinds),
    stored: ({ data }) => [data as string | null],
    // Parts that only one agent may see are in traces of that agent.
    agents: { visible_to: { erased: 'by its owner' } },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
    planner: {
      trace_items: '1000000 1000000 10 1',
      trace_items_by_path: '100000 100000 100 10',
    },
  }),
  exported(upsertEnds, {
    kind: 'trace_end',
    key: ['agent_id', 'session'],
    agents: { agent_id: { erased: 'delete the row' } },
  }),
  {
    table: 'otel_spans',
    key: ['trace_id', 'span_id'],
    left_out: 'spans received from exporters, kept for a week to count a retry once',
    agents: { agent_id: { erased: 'delete the row' } },
    rights: { maintenance: ['SELECT (account_id, at)', 'DELETE'] },
  },
  {
    table: 'otel_traces',
    key: ['trace_id'],
    left_out: 'the session of each exported trace, kept as long',
    agents: { agent_id: { erased: 'delete the row' } },
    rights: { maintenance: ['SELECT (account_id, at)', 'DELETE'] },
  },
];

export const wordIndexes: readonly WordIndex[] = [
  {
    of: 'traces',
    table: 'trace_words',
    view: 'words_of_traces',
    columns: ['account_id', 'seq', 'search_words'],
  },
];

import type { Insert, Row } from '../db/index.ts';
import { insertAudit, insertEvents, touchAgents } from './queries.ts';
import type { Work } from './work.ts';

/** A table of which every row of an account is told in an export. */
export type ExportedTable = {
  table: string;
  /** What one of its rows is called there. */
  kind: string;
  /** The columns that are told, with the account, which is not. */
  columns: Insert['columns'];
  /** The primary key without the account: the order in which rows are told. */
  key: readonly string[];
  /** Columns that may be null. */
  nullable: readonly string[];
  /** Text columns that hold a JSON document. */
  json: readonly string[];
  /** Columns that are not told, because they are made from the others again. */
  derived: readonly string[];
  /** The index of SQLite in which its rows are found by their words, by their `seq`. */
  words?: 'entry_words' | 'trace_words';
  /** Puts rows back where it takes more than to insert them. */
  restore?: (work: Work, rows: readonly Row[]) => Promise<void>;
};

/** A table of which an export tells nothing, and why. */
export type LeftOutTable = Pick<ExportedTable, 'table' | 'key' | 'words'> & { left_out: string };

export type TenantTable = ExportedTable | LeftOutTable;

export const isExported = (table: TenantTable): table is ExportedTable => 'kind' in table;

type Declared = Pick<ExportedTable, 'kind' | 'key'> & Partial<Omit<ExportedTable, 'kind' | 'key' | 'columns'>>;

/** Declares a table by the statement that fills it. */
export function exported({ table, columns }: Insert, declared: Declared): ExportedTable {
  return { table, columns, nullable: [], json: [], derived: [], ...declared };
}

export const kernelTables: readonly TenantTable[] = [
  exported(touchAgents, { kind: 'agent', key: ['agent_id', 'visible_to'] }),
  exported(insertEvents, {
    kind: 'event',
    key: ['seq'],
    nullable: ['entity_path', 'key', 'version', 'actor_agent_id'],
    json: ['details'],
  }),
  exported(insertAudit, {
    kind: 'audit',
    key: ['no'],
    nullable: [
      ...['address', 'key_id', 'key_name', 'user_name', 'before_hash', 'after_hash'],
      ...['subject_salt', 'subject_hash', 'agent_salt', 'agent_hash', 'hash'],
    ],
  }),
  { table: 'accounts', key: [], left_out: 'the first line of an export has its counters' },
  { table: 'consumer_cursors', key: ['consumer'], left_out: 'how far this service has worked through the log' },
  {
    table: 'consumer_dead_letters',
    key: ['consumer', 'seq'],
    left_out: 'numbers of events that this service could not work through',
  },
  { table: 'stored_answers', key: ['idempotency_key'], left_out: 'answers to retries, kept for a day' },
];

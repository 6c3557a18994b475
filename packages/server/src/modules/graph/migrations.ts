import type { Ddl, Migration } from '../../db/index.ts';

const tables = ({ engine, text, int, real }: Ddl) => {
  const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
  return [
    // The visibility precedes the relation in the key, so that no walk has to skip the private edges of other agents.
    `CREATE TABLE edges (
      account_id ${text} NOT NULL,
      branch ${text} NOT NULL,
      source_type ${text} NOT NULL,
      source ${text} NOT NULL,
      visible_to ${text} NOT NULL,
      relation ${text} NOT NULL,
      target_type ${text} NOT NULL,
      target ${text} NOT NULL,
      confidence ${real} NOT NULL,
      evidence_count ${int} NOT NULL,
      first_seen ${int} NOT NULL,
      last_seen ${int} NOT NULL,
      PRIMARY KEY (account_id, branch, source_type, source, visible_to, relation, target_type, target)
    ) ${clustered}`,
    `CREATE INDEX edges_by_target ON edges
      (account_id, branch, target_type, target, visible_to, relation, source_type, source)`,
    `CREATE TABLE edge_statements (
      account_id ${text} NOT NULL,
      edge_id ${text} NOT NULL,
      seq ${int} NOT NULL,
      PRIMARY KEY (account_id, edge_id, seq)
    ) ${clustered}`,
    'CREATE INDEX entries_by_id ON entries (account_id, entry_id)',
  ];
};

const COLUMNS =
  'account_id, branch, source_type, source, visible_to, relation, target_type, target, confidence, evidence_count, first_seen, last_seen';

/** The same as `entryNode`. */
const node = (entryId: string) =>
  `substr('0000000000000000' || CAST(${entryId} AS TEXT), length(CAST(${entryId} AS TEXT)) + 1)`;

const seenBy = (table: string) => `CASE WHEN ${table}.shared = 1 THEN '' ELSE ${table}.agent_id END`;

const refs = ({ engine }: Ddl) =>
  engine === 'sqlite'
    ? 'json_each(entries.pattern_refs) AS refs'
    : 'jsonb_array_elements_text(CAST(entries.pattern_refs AS jsonb)) AS refs(value)';

/** Entries written before edges were stored. */
const earlier = (ddl: Ddl) => [
  `INSERT INTO edges (${COLUMNS})
    SELECT versions.account_id, entries.branch, 'agent', versions.agent_id, ${seenBy('versions')}, 'wrote', 'entry',
      ${node('versions.entry_id')}, 1, count(*), min(versions.written_at), max(versions.written_at)
    FROM versions JOIN entries ON entries.account_id = versions.account_id AND entries.entry_id = versions.entry_id
    WHERE versions.deleted = 0
    GROUP BY versions.account_id, entries.branch, versions.agent_id, versions.shared, versions.entry_id`,
  `INSERT INTO edges (${COLUMNS})
    SELECT DISTINCT entries.account_id, entries.branch, 'entry', ${node('entries.entry_id')}, ${seenBy('entries')},
      'references', 'pattern', refs.value, 1, 1, entries.written_at, entries.written_at
    FROM entries, ${refs(ddl)} WHERE entries.deleted = 0`,
];

export const migrations: readonly Migration[] = [
  { version: 1, legacy: 11, name: 'graph', up: (ddl) => [...tables(ddl), ...earlier(ddl)] },
];

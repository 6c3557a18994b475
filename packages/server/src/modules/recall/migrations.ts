import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'vectors',
    up: ({ engine, text, int }) => [
      `CREATE TABLE entry_vectors (
        account_id ${text} NOT NULL,
        entry_id ${int} NOT NULL,
        part ${int} NOT NULL,
        branch ${text} NOT NULL,
        seq ${int} NOT NULL,
        embedder ${int} NOT NULL,
        cluster ${int} NOT NULL,
        owner ${int} NOT NULL,
        vector ${text} NOT NULL,
        PRIMARY KEY (account_id, entry_id, embedder, part)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      // The same vectors in bits, many in a row, for a first pass.
      `CREATE TABLE vector_blocks (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        embedder ${int} NOT NULL,
        owner ${int} NOT NULL,
        cluster ${int} NOT NULL,
        block ${int} NOT NULL,
        records ${text} NOT NULL,
        PRIMARY KEY (account_id, branch, embedder, owner, cluster, block)
      )`,
      // What all vectors of a branch have in common.
      `CREATE TABLE vector_sums (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        embedder ${int} NOT NULL,
        owner ${int} NOT NULL,
        vectors ${int} NOT NULL,
        sums ${text} NOT NULL,
        PRIMARY KEY (account_id, branch, embedder, owner)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      // How far each model outside the service has come in an account.
      `CREATE TABLE vector_models (
        account_id ${text} NOT NULL,
        embedder ${int} NOT NULL,
        model ${text} NOT NULL,
        cut_to ${int} NOT NULL,
        dimensions ${int} NOT NULL,
        caught_up_at ${int} NOT NULL,
        used_at ${int} NOT NULL,
        PRIMARY KEY (account_id, embedder)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX vector_models_by_use ON vector_models (embedder, used_at)',
    ],
  },
];

import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'events from outside',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        // Not clustered: ids are random, and each of the indexes would have to repeat them.
        `CREATE TABLE deliveries (
          account_id ${text} NOT NULL,
          sender ${text} NOT NULL,
          realm ${text} NOT NULL,
          delivery_id ${text} NOT NULL,
          no ${int} NOT NULL,
          type ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          version ${int},
          status ${text} NOT NULL,
          occurred_at ${int},
          received_at ${int} NOT NULL,
          PRIMARY KEY (account_id, sender, realm, delivery_id)
        )`,
        'CREATE INDEX deliveries_newest ON deliveries (account_id, received_at, no)',
        'CREATE INDEX deliveries_by_path ON deliveries (account_id, entity_path, key)',
        'CREATE INDEX deliveries_by_time ON deliveries (received_at)',
        `CREATE TABLE thing_states (
          account_id ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          state ${text} NOT NULL,
          PRIMARY KEY (account_id, entity_path, key)
        ) ${clustered}`,
        // Where the things are whose paths and keys may change.
        `CREATE TABLE thing_places (
          account_id ${text} NOT NULL,
          sender ${text} NOT NULL,
          thing ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          placed_at ${int} NOT NULL,
          placed_rank ${real} NOT NULL,
          PRIMARY KEY (account_id, sender, thing)
        ) ${clustered}`,
        'CREATE INDEX thing_places_by_path ON thing_places (account_id, entity_path, key)',
        `CREATE TABLE dead_letters (
          account_id ${text} NOT NULL,
          letter_id ${text} NOT NULL,
          no ${int} NOT NULL,
          connector ${text} NOT NULL,
          sender ${text} NOT NULL,
          delivery_id ${text} NOT NULL,
          type ${text} NOT NULL,
          headers ${text} NOT NULL,
          payload ${text} NOT NULL,
          reason ${text} NOT NULL,
          attempts ${int} NOT NULL,
          next_attempt_at ${int},
          entity_path ${text},
          key ${text},
          received_at ${int} NOT NULL,
          write_scope ${text},
          PRIMARY KEY (account_id, letter_id)
        )`,
        'CREATE INDEX dead_letters_newest ON dead_letters (account_id, no)',
        'CREATE INDEX dead_letters_by_path ON dead_letters (account_id, entity_path, key)',
        'CREATE INDEX dead_letters_due ON dead_letters (connector, next_attempt_at) WHERE next_attempt_at IS NOT NULL',
        `CREATE TABLE connector_counts (
          account_id ${text} NOT NULL,
          connector ${text} NOT NULL,
          received ${int} NOT NULL,
          duplicates ${int} NOT NULL,
          failures ${int} NOT NULL,
          last_event_type ${text},
          last_event_at ${int},
          last_failure_at ${int},
          PRIMARY KEY (account_id, connector)
        ) ${clustered}`,
      ];
    },
  },
];

import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 19,
    name: 'accounts that are managed',
    up: ({ text }) => [
      `ALTER TABLE accounts ADD COLUMN name ${text} NOT NULL DEFAULT ''`,
      `ALTER TABLE accounts ADD COLUMN plan ${text}`,
      `ALTER TABLE accounts ADD COLUMN status ${text} NOT NULL DEFAULT 'active'`,
    ],
  },
  {
    version: 2,
    name: 'corrections of the clock in the log',
    up: () => [`CREATE INDEX events_of_clock ON events (account_id, seq) WHERE event_type = 'clock_corrected'`],
  },
];

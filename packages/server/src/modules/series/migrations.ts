import type { Migration } from '../../db/index.ts';
import { countEarlierFailures } from './migrations/earlier-failures.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'counts of events',
    up: ({ engine, text, int }) => [
      `CREATE TABLE event_counts (
        account_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        unit ${text} NOT NULL,
        agent_id ${text} NOT NULL,
        visible_to ${text} NOT NULL,
        at ${int} NOT NULL,
        event_type ${text} NOT NULL,
        held_by ${text} NOT NULL,
        n ${int} NOT NULL,
        PRIMARY KEY (account_id, branch, unit, agent_id, visible_to, at, event_type, held_by)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      `CREATE INDEX event_counts_of_minutes ON event_counts (at) WHERE unit = 'minute'`,
    ],
  },
  {
    version: 2,
    name: 'active agents',
    up: ({ int }) => [
      `ALTER TABLE event_counts ADD COLUMN by_others ${int} NOT NULL DEFAULT 0`,
      `CREATE INDEX event_counts_of_agents ON event_counts (account_id, branch, unit, at, agent_id) WHERE agent_id <> ''`,
    ],
  },
  {
    version: 3,
    name: 'failed outcomes',
    up: ({ int }) => [`ALTER TABLE event_counts ADD COLUMN failures ${int} NOT NULL DEFAULT 0`, countEarlierFailures],
  },
];

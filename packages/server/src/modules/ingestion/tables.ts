import { exported, type TenantTable } from '../../kernel/index.ts';
import { textsOfLetter } from './letter-storage.ts';
import { addCounts, insertDeliveries, insertLetters, type LetterRow, upsertPlaces, upsertThings } from './queries.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const tables: readonly TenantTable[] = [
  exported(insertDeliveries, {
    kind: 'delivery',
    key: ['sender', 'realm', 'delivery_id'],
    nullable: ['entity_path', 'key', 'version', 'occurred_at'],
    agents: { sender: { erased: 'delete the row' } },
    entries: { entity_path: 'set to null', key: 'set to null' },
    rights: { maintenance: ['SELECT (account_id, sender, realm, delivery_id, received_at)', 'DELETE'] },
    planner: {
      sqlite_autoindex_deliveries_1: '1000000 1000000 50000 50000 1',
      deliveries_newest: '1000000 1000000 10 1',
      deliveries_by_path: '1000000 1000000 100 10',
      deliveries_by_time: '1000000 10',
    },
  }),
  exported(upsertThings, {
    kind: 'thing_state',
    key: ['entity_path', 'key'],
    json: ['state'],
    entries: { entity_path: 'delete the row', key: 'delete the row' },
  }),
  exported(upsertPlaces, {
    kind: 'thing_place',
    key: ['sender', 'thing'],
    agents: { sender: { erased: 'delete the row' } },
    entries: { entity_path: 'delete the row', key: 'delete the row' },
  }),
  exported(insertLetters, {
    kind: 'dead_letter',
    key: ['letter_id'],
    nullable: ['next_attempt_at', 'entity_path', 'key', 'write_scope'],
    json: ['headers', 'write_scope'],
    // A payload may be any JSON value.
    check: ({ payload }) => (isJson(String(payload)) ? undefined : 'payload must be JSON'),
    stored: (row) => textsOfLetter(row as LetterRow),
    agents: { sender: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
    rights: { maintenance: ['SELECT (account_id, letter_id, connector, next_attempt_at)'] },
    planner: {
      sqlite_autoindex_dead_letters_1: '1000 1000 1',
      dead_letters_newest: '1000 1000 1',
      dead_letters_by_path: '1000 1000 100 10',
      dead_letters_due: '1000 100 2',
    },
  }),
  exported(addCounts, {
    kind: 'connector_count',
    key: ['connector'],
    nullable: ['last_event_type', 'last_event_at', 'last_failure_at'],
  }),
];

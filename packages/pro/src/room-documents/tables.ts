import type { TenantTable, WordIndex } from '@mem-service/server/module';

const STAYS = 'a room is shared with other accounts, and stays with the service that it is on';

export const tables: readonly TenantTable[] = [
  {
    table: 'room_documents',
    key: ['document_id'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'rename' }, added_by: { erased: 'rename' } },
  },
  { table: 'room_document_files', key: ['document_id'], left_out: STAYS },
  { table: 'room_document_passages', key: ['seq'], left_out: STAYS },
];

export const wordIndexes: readonly WordIndex[] = [
  {
    of: 'room_document_passages',
    table: 'room_document_words',
    view: 'words_of_room_documents',
    columns: ['account_id', 'seq', 'search_words'],
  },
];

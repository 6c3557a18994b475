import type { TenantTable } from '@mem-service/server/module';

const STAYS = 'a room is shared with other accounts, and stays with the service that it is on';

export const tables: readonly TenantTable[] = [
  {
    ...{ table: 'rooms', key: ['room_id'], left_out: STAYS },
    rights: { maintenance: ['SELECT (account_id, delete_at)'] },
  },
  {
    ...{ table: 'room_accounts', key: ['label'], left_out: STAYS, unrelated: { of_account: 'an account' } },
    rights: { maintenance: ['SELECT (account_id, of_account, role, ended_at)'] },
  },
  {
    table: 'room_agents',
    key: ['agent_id'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'delete the row' } },
  },
  { table: 'room_memberships', key: ['room_id'], left_out: STAYS },
  {
    table: 'room_messages',
    key: ['seq'],
    left_out: STAYS,
    agents: {
      agent_id: { erased: 'delete the row' },
      addressed_to: { erased: 'delete the row' },
      reply_agent: { erased: 'delete the row' },
    },
  },
  {
    table: 'room_invitations',
    key: ['invitation_id'],
    left_out: STAYS,
    agents: { agent_id: { erased: 'delete the row' } },
  },
  {
    ...{ table: 'received_invitations', key: ['invitation_id'], left_out: STAYS },
    unrelated: { invited_by: 'the label of an account in the room' },
  },
  {
    ...{ table: 'room_access_requests', key: ['access_request_id'], left_out: STAYS },
    agents: { agent_id: { erased: 'delete the row' } },
    unrelated: { of_account: 'an account' },
    rights: { maintenance: ['SELECT (account_id, of_account)'] },
  },
  {
    ...{ table: 'sent_access_requests', key: ['access_request_id'], left_out: STAYS },
    agents: { agent_id: { erased: 'delete the row' } },
  },
  {
    ...{ table: 'room_topics', key: ['topic_id'], left_out: STAYS },
    agents: { agent_id: { erased: 'delete the row' } },
    unrelated: { shared_path: 'a path of another account' },
  },
  {
    ...{ table: 'room_cards', key: [], left_out: STAYS },
    // Those who are in no room read them.
    rights: { maintenance: ['SELECT'] },
  },
  {
    ...{ table: 'room_words', key: ['word'], left_out: STAYS },
    rights: { maintenance: ['SELECT (account_id, word, room_id)'] },
  },
];

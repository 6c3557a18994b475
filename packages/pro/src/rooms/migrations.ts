import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'rooms',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE rooms (
          account_id ${text} NOT NULL,
          room_id ${text} NOT NULL,
          name ${text} NOT NULL,
          description ${text} NOT NULL,
          discoverable ${int} NOT NULL,
          account_count ${int} NOT NULL,
          agent_count ${int} NOT NULL,
          created_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          closed_at ${int},
          PRIMARY KEY (account_id, room_id)
        ) ${clustered}`,
        `CREATE TABLE room_accounts (
          account_id ${text} NOT NULL,
          label ${text} NOT NULL,
          of_account ${text} NOT NULL,
          role ${text} NOT NULL,
          agent_count ${int} NOT NULL,
          joined_at ${int} NOT NULL,
          ended_at ${int},
          PRIMARY KEY (account_id, label)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX room_accounts_by_account ON room_accounts (account_id, of_account)',
        `CREATE TABLE room_agents (
          account_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          label ${text} NOT NULL,
          joined_at ${int} NOT NULL,
          PRIMARY KEY (account_id, agent_id)
        ) ${clustered}`,
        'CREATE INDEX room_agents_by_label ON room_agents (account_id, label, agent_id)',
        `CREATE TABLE room_memberships (
          account_id ${text} NOT NULL,
          room_id ${text} NOT NULL,
          label ${text} NOT NULL,
          role ${text} NOT NULL,
          name ${text} NOT NULL,
          joined_at ${int} NOT NULL,
          room_seq ${int} NOT NULL,
          PRIMARY KEY (account_id, room_id)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'messages and invitations of rooms',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE room_messages (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          message_type ${text} NOT NULL,
          content ${text} NOT NULL,
          addressed_to ${text},
          reply_to ${int},
          reply_agent ${text},
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, seq)
        ) ${clustered}`,
        `CREATE TABLE room_invitations (
          account_id ${text} NOT NULL,
          invitation_id ${text} NOT NULL,
          for_account ${text},
          token_hash ${text},
          status ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          created_at ${int} NOT NULL,
          expires_at ${int} NOT NULL,
          PRIMARY KEY (account_id, invitation_id)
        ) ${clustered}`,
        'CREATE INDEX room_invitations_by_status ON room_invitations (account_id, status, invitation_id)',
        `CREATE TABLE received_invitations (
          account_id ${text} NOT NULL,
          invitation_id ${text} NOT NULL,
          room_id ${text} NOT NULL,
          room_name ${text} NOT NULL,
          invited_by ${text} NOT NULL,
          created_at ${int} NOT NULL,
          expires_at ${int} NOT NULL,
          PRIMARY KEY (account_id, invitation_id)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 3,
    name: 'rooms that can be found',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE room_cards (
          account_id ${text} NOT NULL,
          room_id ${text} NOT NULL,
          name ${text} NOT NULL,
          description ${text} NOT NULL,
          topics ${text} NOT NULL,
          account_count ${int} NOT NULL,
          agent_count ${int} NOT NULL,
          PRIMARY KEY (account_id)
        ) ${clustered}`,
        'CREATE INDEX room_cards_by_room ON room_cards (room_id)',
        `CREATE TABLE room_words (
          account_id ${text} NOT NULL,
          word ${text} NOT NULL,
          room_id ${text} NOT NULL,
          PRIMARY KEY (account_id, word)
        ) ${clustered}`,
        'CREATE INDEX room_words_by_word ON room_words (word, room_id)',
      ];
    },
  },
  {
    version: 4,
    name: 'requests for access to rooms',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE room_access_requests (
          account_id ${text} NOT NULL,
          access_request_id ${text} NOT NULL,
          of_account ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          label ${text} NOT NULL,
          message ${text} NOT NULL,
          status ${text} NOT NULL,
          created_at ${int} NOT NULL,
          expires_at ${int} NOT NULL,
          PRIMARY KEY (account_id, access_request_id)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX room_access_requests_by_account ON room_access_requests (account_id, of_account)',
        `CREATE TABLE sent_access_requests (
          account_id ${text} NOT NULL,
          access_request_id ${text} NOT NULL,
          room_id ${text} NOT NULL,
          room_name ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          message ${text} NOT NULL,
          status ${text} NOT NULL,
          created_at ${int} NOT NULL,
          expires_at ${int} NOT NULL,
          PRIMARY KEY (account_id, access_request_id)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 5,
    name: 'topics of rooms',
    up: ({ engine, text, int }) => [
      `CREATE TABLE room_topics (
        account_id ${text} NOT NULL,
        topic_id ${text} NOT NULL,
        title ${text} NOT NULL,
        label ${text} NOT NULL,
        agent_id ${text} NOT NULL,
        shared_path ${text} NOT NULL,
        shared_seq ${int} NOT NULL,
        entry_count ${int} NOT NULL,
        created_at ${int} NOT NULL,
        updated_at ${int} NOT NULL,
        PRIMARY KEY (account_id, topic_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
  {
    version: 6,
    name: 'deletion of rooms',
    up: ({ int }) => [
      `ALTER TABLE rooms ADD COLUMN delete_at ${int}`,
      `UPDATE rooms SET delete_at = closed_at + ${30 * 86_400_000} WHERE closed_at IS NOT NULL`,
      'CREATE INDEX rooms_to_delete ON rooms (delete_at) WHERE delete_at IS NOT NULL',
      'CREATE INDEX rooms_of_accounts ON room_accounts (of_account, account_id) WHERE ended_at IS NULL',
    ],
  },
  {
    version: 7,
    name: 'requests for access of deleted accounts',
    up: () => ['CREATE INDEX room_access_requests_of_accounts ON room_access_requests (of_account, account_id)'],
  },
  {
    version: 8,
    name: 'invitations that were answered',
    up: ({ int }) => [`ALTER TABLE received_invitations ADD COLUMN answered_at ${int}`],
  },
];

import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 18,
    name: 'API keys',
    up: ({ text, int }) => [
      `CREATE TABLE api_keys (
        account_id ${text} NOT NULL,
        key_id ${text} NOT NULL,
        key_hash ${text} NOT NULL,
        prefix ${text} NOT NULL,
        name ${text} NOT NULL,
        key_type ${text} NOT NULL,
        scopes ${text} NOT NULL,
        entity_paths ${text} NOT NULL,
        rate_limit_rpm ${int} NOT NULL,
        created_at ${int} NOT NULL,
        created_by ${text} NOT NULL,
        expires_at ${int},
        revoked_at ${int},
        last_used_at ${int},
        rotated_from ${text},
        PRIMARY KEY (account_id, key_id)
      )`,
      'CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (key_hash)',
    ],
  },
  {
    version: 2,
    name: 'agents and sessions of keys',
    up: ({ text, int }) => [
      `ALTER TABLE api_keys ADD COLUMN agent_ids ${text} NOT NULL DEFAULT '[]'`,
      `ALTER TABLE api_keys ADD COLUMN shares_sessions ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE api_keys ADD COLUMN holder ${text} NOT NULL DEFAULT ''`,
    ],
  },
  {
    version: 3,
    name: 'addresses for webhooks',
    up: ({ text }) => [`ALTER TABLE api_keys ADD COLUMN connector ${text}`],
  },
  {
    version: 4,
    name: 'secrets of addresses',
    up: ({ text, int }) => [
      `ALTER TABLE api_keys ADD COLUMN secret ${text}`,
      `ALTER TABLE api_keys ADD COLUMN secret_before ${text}`,
      `ALTER TABLE api_keys ADD COLUMN secret_before_ends_at ${int}`,
      'CREATE INDEX api_keys_with_secret ON api_keys (account_id) WHERE secret IS NOT NULL',
    ],
  },
  {
    version: 5,
    name: 'keys of members',
    up: ({ text, int }) => [
      `ALTER TABLE api_keys ADD COLUMN member_id ${text}`,
      `ALTER TABLE api_keys ADD COLUMN member_role ${text}`,
      `ALTER TABLE api_keys ADD COLUMN suspended_at ${int}`,
      'CREATE INDEX api_keys_by_member ON api_keys (account_id, member_id, key_id) WHERE member_id IS NOT NULL',
    ],
  },
  {
    version: 6,
    name: 'default branches of keys',
    up: ({ text }) => [`ALTER TABLE api_keys ADD COLUMN default_branch ${text}`],
  },
  {
    version: 7,
    name: 'keys by holder',
    up: () => ["CREATE INDEX api_keys_by_holder ON api_keys (account_id, holder) WHERE holder <> ''"],
  },
];

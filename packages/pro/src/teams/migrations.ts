import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'teams and members',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE teams (
          account_id ${text} NOT NULL,
          team_id ${text} NOT NULL,
          name ${text} NOT NULL,
          slug ${text} NOT NULL,
          description ${text} NOT NULL,
          member_count ${int} NOT NULL,
          removed_count ${int} NOT NULL,
          created_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, team_id)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX teams_by_slug ON teams (account_id, slug)',
        `CREATE TABLE members (
          account_id ${text} NOT NULL,
          member_id ${text} NOT NULL,
          team_id ${text} NOT NULL,
          email ${text} NOT NULL,
          display_name ${text} NOT NULL,
          role ${text} NOT NULL,
          created_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          removed_at ${int},
          removed_by ${text},
          PRIMARY KEY (account_id, member_id)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX members_by_email ON members (account_id, team_id, email)',
        'CREATE INDEX members_by_team ON members (account_id, team_id, member_id)',
        'CREATE INDEX members_by_person ON members (account_id, email)',
      ];
    },
  },
];

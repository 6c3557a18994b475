import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'merges and their conflicts',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      const number = (name: string) => `${name} ${int}`;
      const counts = ['added', 'modified', 'deleted', 'judged', 'hidden', 'conflicts'];
      const sides = ['base', 'source', 'target'].flatMap((side) => [`${side}_entry`, `${side}_version`]);
      return [
        `CREATE TABLE merges (
          account_id ${text} NOT NULL,
          merge_id ${text} NOT NULL,
          kind ${text} NOT NULL,
          status ${text} NOT NULL,
          source ${text} NOT NULL,
          source_seq ${int} NOT NULL,
          target ${text} NOT NULL,
          target_seq ${int} NOT NULL,
          base_branch ${text},
          base_seq ${int},
          strategy ${text} NOT NULL,
          detection ${text} NOT NULL,
          message ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          ${counts.map((name) => `${number(name)} NOT NULL`).join(', ')},
          commit_id ${text},
          head_seq ${int},
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, merge_id)
        ) ${clustered}`,
        'CREATE INDEX merges_by_creation ON merges (account_id, created_seq)',
        'CREATE INDEX merges_by_status ON merges (account_id, status, created_seq)',
        'CREATE INDEX merges_by_target ON merges (account_id, target, source, source_seq)',
        'CREATE INDEX merges_by_commit ON merges (account_id, commit_id)',
        `CREATE TABLE merge_conflicts (
          account_id ${text} NOT NULL,
          merge_id ${text} NOT NULL,
          no ${int} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          reason ${text} NOT NULL,
          fields ${text} NOT NULL,
          ${sides.map(number).join(', ')},
          visible_to ${text} NOT NULL,
          take ${text},
          value ${text},
          resolved_by ${text},
          resolved_at ${int},
          PRIMARY KEY (account_id, merge_id, no)
        ) ${clustered}`,
        'CREATE INDEX merge_conflicts_by_entry ON merge_conflicts (account_id, entity_path, key)',
      ];
    },
  },
  {
    version: 2,
    name: 'when conflicts of a merge were resolved last',
    up: ({ int }) => [`ALTER TABLE merges ADD COLUMN resolved_seq ${int}`],
  },
];

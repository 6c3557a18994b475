import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { runSql } from '../support/place.ts';

/** Rights on tables and on their columns, but for those of owners; partitions have none. */
export const RIGHTS = `SELECT c.relname, a.attname, CAST(e.grantee AS regrole) AS grantee, e.privilege_type, e.is_grantable
  FROM pg_class AS c, LATERAL (SELECT CAST(NULL AS name) AS attname, c.relacl AS acl
      UNION ALL SELECT attname, attacl FROM pg_attribute WHERE attrelid = c.oid) AS a, aclexplode(a.acl) AS e
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = CAST('public' AS regnamespace) AND e.grantee <> c.relowner
  ORDER BY 1, 2, 3, 4`;

export async function newRole(kind: string): Promise<string> {
  const name = `${kind}_${randomBytes(4).toString('hex')}`;
  await runSql(inject('postgresDsn'), `CREATE ROLE ${name}`);
  return name;
}
export const dropRoles = async (...names: string[]): Promise<void> => {
  await runSql(inject('postgresDsn'), `DROP ROLE ${names.join(', ')}`);
};

/** Something on a table of mem that an operator made, how it is removed, and how it is called in a refusal. */
export type ForeignObject = { make: string; remove: string; name: string };

/** Rights that are kept, and are therefore none of these. */
export const keptRights = (role: string): string => `GRANT SELECT, UPDATE ON entries TO ${role} WITH GRANT OPTION;
  GRANT SELECT (seq, stamp), REFERENCES (seq) ON events TO ${role} WITH GRANT OPTION; GRANT SELECT ON sessions TO ${role}`;

export const foreignObjects = (reader: string, other: string): ForeignObject[] => [
  {
    make: 'CREATE VIEW report WITH (security_invoker = true) AS SELECT entity_path FROM entries',
    remove: 'DROP VIEW report',
    name: 'view report',
  },
  {
    make: 'CREATE SCHEMA reporting; CREATE VIEW reporting.latest AS SELECT * FROM report',
    remove: 'DROP VIEW reporting.latest',
    name: 'view reporting.latest',
  },
  {
    make: 'CREATE VIEW lengths AS SELECT word_count FROM words_of_entries',
    remove: 'DROP VIEW lengths',
    name: 'view lengths',
  },
  {
    make: 'CREATE MATERIALIZED VIEW counted AS SELECT count(*) FROM events',
    remove: 'DROP MATERIALIZED VIEW counted',
    name: 'materialized view counted',
  },
  {
    make: 'CREATE FUNCTION newest() RETURNS bigint BEGIN ATOMIC SELECT max(seq) FROM entries; END',
    remove: 'DROP FUNCTION newest',
    name: 'function newest()',
  },
  {
    make: `CREATE FUNCTION path_of(entries) RETURNS text LANGUAGE sql AS 'SELECT $1.entity_path'`,
    remove: 'DROP FUNCTION path_of',
    name: 'function path_of(entries)',
  },
  {
    make: `CREATE TRIGGER kept BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
    remove: 'DROP TRIGGER kept ON events',
    name: 'trigger kept on table events',
  },
  {
    make: 'CREATE RULE told AS ON DELETE TO events DO ALSO NOTIFY told',
    remove: 'DROP RULE told ON events',
    name: 'rule told on table events',
  },
  {
    make: 'CREATE POLICY mine ON entries USING (false)',
    remove: 'DROP POLICY mine ON entries',
    name: 'policy mine on table entries',
  },
  {
    make: 'CREATE PUBLICATION followers FOR TABLE events',
    remove: 'DROP PUBLICATION followers',
    name: 'publication of table events in publication followers',
  },
  {
    make: 'CREATE STATISTICS together ON entity_path, key FROM entries',
    remove: 'DROP STATISTICS together',
    name: 'statistics object together',
  },
  {
    make: 'CREATE TABLE marks (account_id text, seq bigint, CONSTRAINT marked FOREIGN KEY (account_id, seq) REFERENCES events)',
    remove: 'DROP TABLE marks',
    name: 'constraint marked on table marks',
  },
  { make: 'CREATE TABLE more () INHERITS (sessions)', remove: 'DROP TABLE more', name: 'table more' },
  {
    make: `COMMENT ON TABLE entries IS 'facts'`,
    remove: 'COMMENT ON TABLE entries IS NULL',
    name: 'comment on table entries',
  },
  {
    make: `COMMENT ON VIEW words_of_entries IS 'words'`,
    remove: 'COMMENT ON VIEW words_of_entries IS NULL',
    name: 'comment on view words_of_entries',
  },
  {
    make: `COMMENT ON INDEX entries_by_word IS 'words'`,
    remove: 'COMMENT ON INDEX entries_by_word IS NULL',
    name: 'comment on index entries_by_word',
  },
  {
    make: 'ALTER TABLE entries REPLICA IDENTITY FULL',
    remove: 'ALTER TABLE entries REPLICA IDENTITY DEFAULT',
    name: 'settings of table entries',
  },
  {
    make: 'ALTER TABLE entries ALTER COLUMN key SET STATISTICS 500',
    remove: 'ALTER TABLE entries ALTER COLUMN key SET STATISTICS -1',
    name: 'settings of column key of table entries',
  },
  {
    make: 'ALTER VIEW words_of_traces SET (security_barrier = true)',
    remove: 'ALTER VIEW words_of_traces RESET (security_barrier)',
    name: 'settings of view words_of_traces',
  },
  {
    make: `GRANT SELECT (seq) ON words_of_entries TO ${reader}`,
    remove: `REVOKE SELECT (seq) ON words_of_entries FROM ${reader}`,
    name: `right SELECT (seq) of ${reader} on words_of_entries`,
  },
  {
    make: `SET ROLE ${reader}; GRANT SELECT ON entries TO ${other}; RESET ROLE`,
    remove: `SET ROLE ${reader}; REVOKE SELECT ON entries FROM ${other}; RESET ROLE`,
    name: `right SELECT of ${other} on entries, given by ${reader}`,
  },
  {
    make: 'GRANT SELECT ON events TO PUBLIC',
    remove: 'REVOKE SELECT ON events FROM PUBLIC',
    name: 'right SELECT of PUBLIC on events',
  },
  {
    make: 'GRANT TRUNCATE ON events TO mem_app',
    remove: 'REVOKE TRUNCATE ON events FROM mem_app',
    name: 'right TRUNCATE of mem_app on events',
  },
];

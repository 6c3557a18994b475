import type { Query } from './database.ts';
import { ALL_RIGHTS, POLICIES } from './row-security.ts';
import { rolesOf } from './row-security-roles.ts';
import type { RowSecurity } from './row-security-types.ts';

/** What keeps tables from being divided. */
export type DivisionObstacles = {
  /** Objects, rights and settings on the tables that mem did not make, and would not make again. */
  foreign: string[];
  /** Relations and types that have the name of a partition. */
  taken: string[];
  /** Owners of tables other than the role of this connection, which would become their owner. */
  owners: string[];
};

export type DividedTables = { tables: readonly string[]; partitions: number };

export const partitionName = (table: string, i: number): string => `${table}_p${i}`;
/** The name of a table while its rows are copied. */
export const undividedName = (table: string): string => `${table}_undivided`;

const HERE = 'to_regnamespace(quote_ident(current_schema()))';
const regclass = (catalog: string): string => `CAST('${catalog}' AS regclass)`;
const POLICY_NAMES = POLICIES.map((policy) => `'${policy}'`).join(', ');

/**
 * `own`: the tables and mem's views on them. `reached`: these and every view that reads them. `made`: what is made again with a
 * table, but without comments, labels and settings.
 */
const RELATIONS = `WITH RECURSIVE t AS (SELECT * FROM pg_class WHERE relnamespace = ${HERE} AND relname = ANY (string_to_array(?, ','))),
  own AS (SELECT * FROM t UNION ALL SELECT * FROM pg_class
    WHERE relnamespace = ${HERE} AND relkind = 'v' AND relname = ANY (string_to_array(?, ','))),
  reached (oid) AS (SELECT oid FROM own UNION SELECT r.ev_class FROM reached JOIN pg_depend AS d
    ON d.refclassid = ${regclass('pg_class')} AND d.refobjid = reached.oid AND d.classid = ${regclass('pg_rewrite')}
    JOIN pg_rewrite AS r ON r.oid = d.objid AND r.rulename = '_RETURN'),
  guards AS (SELECT p.* FROM t JOIN pg_policy AS p ON p.polrelid = t.oid AND p.polname IN (${POLICY_NAMES})),
  app AS (SELECT DISTINCT polroles[1] AS oid FROM guards WHERE polname = 'mem_account'),
  indexes AS (SELECT i.*, x.relname, x.reltablespace, x.reloptions, k.oid AS conoid FROM t JOIN pg_index AS i ON i.indrelid = t.oid
    JOIN pg_class AS x ON x.oid = i.indexrelid LEFT JOIN pg_constraint AS k ON k.conindid = x.oid AND k.conrelid = t.oid),
  made AS (SELECT ${regclass('pg_class')} AS class, oid FROM own UNION ALL SELECT ${regclass('pg_class')}, indexrelid FROM indexes
    UNION ALL SELECT ${regclass('pg_constraint')}, conoid FROM indexes WHERE conoid IS NOT NULL
    UNION ALL SELECT ${regclass('pg_policy')}, oid FROM guards WHERE polname <> 'mem_account')`;

/** Whatever PostgreSQL knows to depend on the relations, but for the parts that every table and view has. */
const DEPENDENT = `SELECT pg_describe_object(${regclass('pg_class')}, v.oid, 0) FROM reached JOIN pg_class AS v USING (oid)
    WHERE v.oid NOT IN (SELECT oid FROM own)
  UNION SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM reached JOIN pg_class AS c USING (oid)
    JOIN pg_type AS y ON y.oid = c.reltype
    JOIN pg_depend AS d ON (d.refclassid = ${regclass('pg_class')} AND d.refobjid = c.oid)
      OR (d.refclassid = ${regclass('pg_type')} AND d.refobjid IN (y.oid, y.typarray))
    WHERE NOT CASE d.classid
      WHEN ${regclass('pg_type')} THEN d.objid IN (y.oid, y.typarray)
      WHEN ${regclass('pg_attrdef')} THEN EXISTS (SELECT 1 FROM pg_attrdef WHERE oid = d.objid AND adrelid = c.oid)
      WHEN ${regclass('pg_rewrite')} THEN EXISTS (SELECT 1 FROM pg_rewrite WHERE oid = d.objid AND rulename = '_RETURN')
      WHEN ${regclass('pg_policy')} THEN d.objid IN (SELECT oid FROM guards)
      WHEN ${regclass('pg_trigger')} THEN EXISTS (SELECT 1 FROM pg_trigger WHERE oid = d.objid AND tgisinternal)
      WHEN ${regclass('pg_constraint')} THEN EXISTS
        (SELECT 1 FROM pg_constraint WHERE oid = d.objid AND conrelid = c.oid AND contype IN ('p', 'u', 'c', 'n'))
      WHEN ${regclass('pg_class')} THEN d.objid = c.oid OR EXISTS
        (SELECT 1 FROM pg_class WHERE oid = d.objid AND (relkind IN ('i', 't') OR oid IN (SELECT oid FROM reached)))
      ELSE false END`;

const NOTED = `SELECT 'comment on ' || pg_describe_object(d.classoid, d.objoid, d.objsubid) FROM made JOIN pg_description AS d
    ON d.classoid = made.class AND d.objoid = made.oid
    WHERE d.objsubid = 0 OR d.objoid NOT IN (SELECT oid FROM t)
  UNION SELECT 'security label on ' || pg_describe_object(l.classoid, l.objoid, l.objsubid) FROM made JOIN pg_seclabel AS l
    ON l.classoid = made.class AND l.objoid = made.oid
  UNION SELECT format('%s in subscription %s', pg_describe_object(${regclass('pg_class')}, t.oid, 0), s.subname) FROM t
    JOIN pg_subscription_rel AS r ON r.srrelid = t.oid JOIN pg_subscription AS s ON s.oid = r.srsubid
  UNION SELECT format('%s as a child of %s', pg_describe_object(${regclass('pg_class')}, t.oid, 0), CAST(h.inhparent AS regclass))
    FROM t JOIN pg_inherits AS h ON h.inhrelid = t.oid`;

/** Storage settings of a table are kept, and definitions of indexes with theirs. */
const SETTINGS = `SELECT 'settings of ' || pg_describe_object(${regclass('pg_class')}, oid, 0) FROM own
    WHERE reltablespace <> 0 OR relpersistence <> 'p' OR reloftype <> 0
      OR CASE relkind WHEN 'v' THEN reloptions IS NOT NULL ELSE relreplident <> 'd'
        OR CAST((SELECT amname FROM pg_am WHERE oid = relam) AS text) <> current_setting('default_table_access_method')
        OR EXISTS (SELECT 1 FROM pg_class AS toast WHERE toast.oid = own.reltoastrelid AND toast.reloptions IS NOT NULL) END
  UNION SELECT 'settings of ' || pg_describe_object(${regclass('pg_class')}, indexrelid, 0) FROM indexes
    WHERE reltablespace <> 0 OR indisclustered OR indisreplident OR (conoid IS NOT NULL AND reloptions IS NOT NULL)
  UNION SELECT 'settings of ' || pg_describe_object(${regclass('pg_class')}, a.attrelid, a.attnum) FROM pg_attribute AS a
    WHERE (a.attrelid IN (SELECT oid FROM own) OR a.attrelid IN (SELECT indexrelid FROM indexes)) AND a.attnum > 0
      AND NOT a.attisdropped AND (a.attstattarget >= 0 OR a.attoptions IS NOT NULL OR a.attidentity <> '')
  UNION SELECT 'row-level security of ' || pg_describe_object(${regclass('pg_class')}, oid, 0) FROM t
    WHERE (relrowsecurity OR relforcerowsecurity) AND oid NOT IN (SELECT polrelid FROM guards)`;

const named = (role: string): string => `CASE WHEN ${role} = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(${role}) END`;

/** Rights on a table are kept where its owner gave them. */
const RIGHTS = `rights AS (
    SELECT own.oid, own.relname, own.relkind, own.relowner, CAST(NULL AS name) AS attname, e.* FROM own, aclexplode(own.relacl) AS e
    UNION ALL SELECT own.oid, own.relname, own.relkind, own.relowner, a.attname, e.*
      FROM own JOIN pg_attribute AS a ON a.attrelid = own.oid, aclexplode(a.attacl) AS e)`;
const RIGHT = `format('right %s%s of %s on %s', privilege_type, ' (' || attname || ')', ${named('grantee')}, relname)`;
const FOREIGN_RIGHTS = `SELECT ${RIGHT} || CASE WHEN relkind = 'v' THEN '' ELSE ', given by ' || pg_get_userbyid(grantor) END FROM rights
    WHERE CASE WHEN relkind = 'v' THEN attname IS NOT NULL OR is_grantable OR NOT (grantee = relowner
        OR (grantee IN (SELECT oid FROM app) AND privilege_type = 'SELECT')) ELSE grantor <> relowner END`;

const FOREIGN = `${RELATIONS}, ${RIGHTS}
  SELECT DISTINCT what FROM (${DEPENDENT} UNION ${NOTED} UNION ${SETTINGS} UNION ${FOREIGN_RIGHTS}) AS found (what) ORDER BY 1`;

/** Rights of everyone and of mem's roles, where row-level security is on and makes them again. */
const GUARDED_RIGHTS = `${RELATIONS}, ${RIGHTS}
  SELECT CAST(relname AS text) AS "table", ${RIGHT} AS what, CAST(${named('grantee')} AS text) AS grantee, CAST(attname AS text) AS attname,
    privilege_type, is_grantable, CAST(pg_get_userbyid((SELECT oid FROM app LIMIT 1)) AS text) AS app
  FROM rights WHERE relkind <> 'v' AND grantee <> relowner AND oid IN (SELECT polrelid FROM guards) ORDER BY 2`;

type GuardedRight = {
  table: string;
  what: string;
  grantee: string;
  attname: string | null;
  privilege_type: string;
  is_grantable: boolean;
  app: string;
};

/** `SELECT (a, b)` as `SELECT a` and `SELECT b`. */
const byColumn = (right: string): string[] => {
  const [, name, columns] = /^(\w+) ?\((.*)\)$/.exec(right) ?? [];
  return columns === undefined ? [right] : columns.split(',').map((column) => `${name} ${column.trim()}`);
};

/** Row-level security takes all rights of these roles before it gives them their own. */
function isRevoked(right: GuardedRight, { role, rules }: RowSecurity): boolean {
  const { table, grantee, attname, privilege_type, is_grantable } = right;
  const roles = rolesOf(role ?? right.app, '');
  const { [table]: own = ALL_RIGHTS } = rules.own;
  const given: Record<string, readonly string[]> = {
    PUBLIC: [],
    [roles.app]: own,
    [roles.maintenance]: rules.maintenance[table] ?? [],
    [roles.words]: [`SELECT (${rules.words[table]?.columns.join(', ')})`],
  };
  const { [grantee]: kept } = given;
  const name = attname === null ? privilege_type : `${privilege_type} ${attname}`;
  return kept !== undefined && (is_grantable || !kept.flatMap(byColumn).includes(name));
}

const TAKEN = `SELECT name FROM (SELECT CAST(relname AS text), relnamespace FROM pg_class
    UNION SELECT CAST(typname AS text), typnamespace FROM pg_type) AS taken (name, place)
  WHERE place = ${HERE} AND name = ANY (string_to_array(?, ',')) ORDER BY 1`;

const OWNERS = `${RELATIONS} SELECT DISTINCT CAST(pg_get_userbyid(relowner) AS text) AS name FROM own
  WHERE pg_get_userbyid(relowner) <> current_user AND (relkind <> 'v' OR NOT EXISTS (SELECT 1 FROM app)) ORDER BY 1`;

/** Looks at everything on these tables, and changes nothing. */
export async function readObstacles(
  query: Pick<Query, 'all'>,
  { tables, partitions }: DividedTables,
  rowSecurity: RowSecurity,
): Promise<DivisionObstacles> {
  const views = tables.flatMap((table) => rowSecurity.rules.words[table]?.view ?? []);
  const values = [tables.join(','), views.join(',')];
  const foreign = await query.all<{ what: string }>({ text: FOREIGN, values });
  const rights = await query.all<GuardedRight>({ text: GUARDED_RIGHTS, values });
  const owners = await query.all<{ name: string }>({ text: OWNERS, values });
  const names = tables.flatMap((table) => [
    undividedName(table),
    ...Array.from({ length: partitions }, (_, i) => partitionName(table, i)),
  ]);
  const taken = await query.all<{ name: string }>({ text: TAKEN, values: [names.join(',')] });
  return {
    foreign: [...foreign, ...rights.filter((right) => isRevoked(right, rowSecurity))].map(({ what }) => what),
    taken: taken.map(({ name }) => name),
    owners: owners.map(({ name }) => name),
  };
}

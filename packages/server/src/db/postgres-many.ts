import type pg from 'pg';
import type { ByteLimit, Query } from './database.ts';
import { toFirstRows, withRunningBytes } from './postgres-first.ts';
import { type Find, type Insert, once, type RowsOfTable, type Sql, type SqlValue, type Update } from './sql.ts';

const ARRAY_TYPES = { text: 'text[]', int: 'bigint[]', real: 'double precision[]', search_text: 'text[]' } as const;

function unnest(types: readonly (keyof typeof ARRAY_TYPES)[]): string {
  return `unnest(${types.map((type) => `CAST(? AS ${ARRAY_TYPES[type]})`).join(', ')})`;
}

function insertText({ table, columns, suffix = '', within }: Insert): string {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  const picks = types.map((type, i) => (type === 'search_text' ? `CAST(r.c${i} AS tsvector)` : `r.c${i}`));
  const as = names.map((_, i) => `c${i}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${picks.join(', ')} FROM ${unnest(types)} AS r(${as})${within ? withinText(within, names) : ''} ${suffix}`;
}

/** Found as `findText` does, for the same reason. */
function withinText({ table, by }: RowsOfTable, names: readonly string[]): string {
  const place = (i: number) => `r.c${names.indexOf(by[i] as string)}`;
  const same = by.map((name, i) => `x.${name} = ${place(i)}`).join(' AND ');
  return ` WHERE (${firstText(`SELECT ${same} FROM ${table} AS x`, by, place)})`;
}

/** Hides the number of elements from the planner, which would otherwise re-plan for each. */
function unnestUnseen(types: readonly (keyof typeof ARRAY_TYPES)[]): string {
  return `unnest(${types.map((type) => `(SELECT CAST(? AS ${ARRAY_TYPES[type]}))`).join(', ')})`;
}

/**
 * Of the rows of an account, the first at or after a key. With an equality on the key, the planner has to guess among
 * indexes with the same first columns, and without statistics on a new table it scans a whole account. Only the primary
 * key gives this order. The account is compared separately: a policy names it too, and a scan with an equal account and
 * a row comparison that begins with the account starts at the account's first row.
 */
function firstText(from: string, names: readonly string[], place: (i: number) => string): string {
  const [account, ...rest] = names;
  const after =
    rest.length === 0 ? '' : ` AND (${rest.join(', ')}) >= (${rest.map((_, i) => place(i + 1)).join(', ')})`;
  return `${from} WHERE ${account} = ${place(0)}${after} ORDER BY ${names.join(', ')} LIMIT 1`;
}

/** The first row at or after each key, if it has the key. */
function findText({ table, select, by, beside }: Find): string {
  const names = Object.keys(by);
  const as = names.map((_, i) => `c${i}`).join(', ');
  const same = names.map((name, i) => `found.${name} = r.c${i}`).join(' AND ');
  const first = firstText(`SELECT * FROM ${table}`, names, (i) => `r.c${i}`);
  return `SELECT r.place, ${select} FROM ${unnestUnseen(Object.values(by))} WITH ORDINALITY AS r(${as}, place) JOIN LATERAL (${first}) AS found ON ${same}${beside ? besideEach(beside) : ''}`;
}

/** The same for one key, which is given twice. The planner does not see its account, as it does not see those of `findText`. */
function findOneText({ table, select, by, beside }: Find): string {
  const names = Object.keys(by);
  const first = firstText(`SELECT * FROM ${table}`, names, (i) => (i === 0 ? '(SELECT CAST(? AS text))' : '?'));
  const same = names.map((name) => `found.${name} = ?`).join(' AND ');
  return `SELECT ${select} FROM (${first}) AS found${beside ? besideEach(beside) : ''} WHERE ${same}`;
}

/** Looked up row by row, however few rows the planner takes the table to have. */
const besideEach = ({ table, by }: RowsOfTable): string =>
  ` LEFT JOIN LATERAL (SELECT * FROM ${table} AS x WHERE ${by.map((name) => `x.${name} = found.${name}`).join(' AND ')} OFFSET 0) AS beside ON true`;

/**
 * By primary key alone, which holds on every partition and engine, where a row's location does not. With equalities a
 * planner without statistics reads the whole table once and joins, and keeps that plan while the table grows: these
 * conditions can only be looked up in an index. The last column is compared twice, together with the account: that costs
 * less in an index that has both than beside one that only begins with the account, so that the primary key is taken.
 */
function updateText({ table, set = {}, add = {}, by }: Update): string {
  const changed = { ...set, ...add };
  const changedNames = Object.keys(changed);
  const names = Object.keys(by);
  const as = [...changedNames, ...names].map((_, i) => `c${i}`).join(', ');
  const sets = changedNames
    .map((name, i) => (name in add ? `${name} = ${table}.${name} + r.c${i}` : `${name} = r.c${i}`))
    .join(', ');
  const same = names.map((name, i) => {
    const [column, value] = [`${table}.${name}`, `r.c${changedNames.length + i}`];
    if (i === 0 || i < names.length - 1) return `${column} = ANY (ARRAY[${value}])`;
    const [own, given] = [`(${column}, ${table}.${names[0]})`, `(${value}, r.c${changedNames.length})`];
    return `${own} >= ${given} AND ${own} <= ${given}`;
  });
  const rows = unnestUnseen([...Object.values(changed), ...Object.values(by)]);
  return `UPDATE ${table} SET ${sets} FROM ${rows} AS r(${as}) WHERE ${same.join(' AND ')}`;
}

export const insertTextOnce = once(insertText);
const findTextOnce = once(findText);
const findOneTextOnce = once(findOneText);
export const updateTextOnce = once(updateText);

/** A find as one statement for all keys, and the function that puts the result rows in the order of the keys. */
export function manyKeys<T>(find: Find, keys: readonly (readonly SqlValue[])[]) {
  const columns = Object.keys(find.by).map((_, i) => keys.map((key) => key[i] ?? null));
  return {
    text: findTextOnce(find),
    values: columns as readonly unknown[],
    inOrder(rows: readonly { place: string | number }[]): (T | undefined)[] {
      const found = new Array<T | undefined>(keys.length).fill(undefined);
      for (const row of rows) found[Number(row.place) - 1] = row as T;
      return found;
    },
  };
}

/** Always asks the store: to find out whether another server has written meanwhile takes as long as the row. */
export const findOne = <T>(query: Query, find: Find, key: readonly SqlValue[]): Promise<T | undefined> =>
  query.get<T>({ text: findOneTextOnce(find), values: [...key, ...key] });

/** A statement whose values may be arrays. */
export type BoundStatement = { text: string; values: readonly unknown[] };

/** The reads of a store, built on one function that runs a statement. */
export function asQuery(ask: (statement: BoundStatement) => Promise<pg.QueryResult>): Query {
  return {
    all: async <T>(statement: Sql) => (await ask(statement)).rows as T[],
    get: async <T>(statement: Sql) => (await ask(statement)).rows[0] as T | undefined,
    first: async <T>(statement: Sql, limit: ByteLimit) =>
      toFirstRows<T>((await ask(withRunningBytes(statement, limit))).rows, limit),
    async findMany<T>(find: Find, keys: readonly (readonly SqlValue[])[]) {
      if (keys.length === 0) return [];
      const { text, values, inOrder } = manyKeys<T>(find, keys);
      return inOrder((await ask({ text, values })).rows);
    },
  };
}

import type { EntryKey } from '@mem-service/contract';
import { fragment, type Sql, sql } from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesIn, entryKeysIn, type Including, UP_TO_SHOWN, versionsIn } from './relation.ts';

type OneEntryPart = { including?: Including; standings?: boolean };

const isNamed = ({ entity_path, key }: EntryKey): Sql =>
  sql`entries.entity_path = ${entity_path} AND entries.key = ${key}`;

const nameOf = ({ entity_path, key }: EntryKey) => ({ entity_path: sql`${entity_path}`, key: sql`${key}` });

/** The entry of a view with this name, for FROM: the relation and its condition. */
export const entryNamed = (view: EntryView, at: EntryKey, part: OneEntryPart): Sql =>
  sql`${entriesIn(view, { ...part, named: nameOf(at) })} WHERE ${isNamed(at)}`;

const OF_PAIR = { entity_path: fragment('pairs.a'), key: fragment('pairs.b') };

/** The same for many names, each looked up by itself. */
export function entriesNamed(view: EntryView, names: readonly EntryKey[], part: OneEntryPart): Sql {
  const pairs = view.dialect.pairs(names.map(({ entity_path, key }) => [entity_path, key]));
  const entries: Sql = entriesIn(view, { ...part, named: OF_PAIR });
  const each = view.dialect.engine === 'sqlite' ? sql`CROSS JOIN ${entries}` : sql`CROSS JOIN LATERAL ${entries}`;
  return sql`${pairs} ${each} WHERE entity_path = pairs.a AND key = pairs.b`;
}

/** The same with standings, in any state, and without documents. */
export function entryKeysNamed(view: EntryView, names: readonly EntryKey[]): Sql {
  const pairs = view.dialect.pairs(names.map(({ entity_path, key }) => [entity_path, key]));
  const entries: Sql = entryKeysIn(view, { including: 'all', standings: true, named: OF_PAIR });
  const each = view.dialect.engine === 'sqlite' ? sql`CROSS JOIN ${entries}` : sql`CROSS JOIN LATERAL ${entries}`;
  return sql`${pairs} ${each} WHERE entity_path = pairs.a AND key = pairs.b`;
}

/** Of versions. */
export const NEWEST = fragment('ORDER BY versions.version DESC LIMIT 1');

export type VersionsOfOne = {
  /** On columns of `versions` and `entries`. */
  where: Sql;
  /** Order and limit. */
  last?: Sql;
  standings?: boolean;
};

/**
 * Versions of the entry with this name, without a visibility check of their entry: `versions` joined to `entries`, for FROM. On
 * PostgreSQL the versions are read after their entry and by its number, whatever the planner takes the account for.
 */
export function versionsNamed(view: EntryView, at: EntryKey, { where, last, standings = false }: VersionsOfOne): Sql {
  const { account_id, dialect } = view;
  const end = last ? sql` ${last}` : fragment('');
  if (dialect.engine === 'sqlite')
    return sql`${versionsIn(view, { standings })} WHERE ${isNamed(at)} AND ${where}${end}`;
  const upToShown = fragment(isNewestOfOneBranch(view) ? '' : UP_TO_SHOWN);
  return sql`${entriesIn(view, { including: 'all', standings, named: nameOf(at) })}
    CROSS JOIN LATERAL (SELECT * FROM versions WHERE versions.account_id = ${account_id}
      AND versions.entry_id = entries.entry_id${upToShown} AND ${where}${last ? end : fragment(dialect.fence)}) AS versions
    WHERE ${isNamed(at)}${end}`;
}

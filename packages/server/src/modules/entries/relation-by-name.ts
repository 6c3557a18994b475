import type { EntryKey } from '@mem-service/contract';
import { fragment, type Sql, sql } from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesIn, entryKeysIn, type Including } from './relation.ts';

type OneEntryPart = { including?: Including; standings?: boolean };

export const isNamed = ({ entity_path, key }: EntryKey): Sql =>
  sql`entries.entity_path = ${entity_path} AND entries.key = ${key}`;

export const nameOf = ({ entity_path, key }: EntryKey) => ({ entity_path: sql`${entity_path}`, key: sql`${key}` });

/** The entry of a view with this name, for FROM: the relation and its condition. */
export const entryNamed = (view: EntryView, at: EntryKey, part: OneEntryPart): Sql =>
  sql`${entriesIn(view, { ...part, named: nameOf(at) })} WHERE ${isNamed(at)}`;

const OF_PAIR = { entity_path: fragment('pairs.a'), key: fragment('pairs.b') };

/** The same for many names, each looked up by itself. */
export function entriesNamed(view: EntryView, names: readonly EntryKey[], part: OneEntryPart): Sql {
  const pairs = pairsOf(view, names);
  if (view.dialect.engine === 'sqlite' && !isNewestOfOneBranch(view))
    return sql`${entriesIn(view, { ...part, named: { ...OF_PAIR, among: pairs } })} WHERE 1 = 1`;
  const entries: Sql = entriesIn(view, { ...part, named: OF_PAIR });
  const each = view.dialect.engine === 'sqlite' ? sql`CROSS JOIN ${entries}` : sql`CROSS JOIN LATERAL ${entries}`;
  return sql`${pairs} ${each} WHERE entity_path = pairs.a AND key = pairs.b`;
}

/** The same with standings, in any state, and without documents. */
export function entryKeysNamed(view: EntryView, names: readonly EntryKey[]): Sql {
  const pairs = pairsOf(view, names);
  const part = { including: 'all', standings: true } as const;
  if (view.dialect.engine === 'sqlite')
    return sql`${entryKeysIn(view, { ...part, named: { ...OF_PAIR, among: pairs } })} WHERE 1 = 1`;
  return sql`${pairs} CROSS JOIN LATERAL ${entryKeysIn(view, { ...part, named: OF_PAIR })}
    WHERE entity_path = pairs.a AND key = pairs.b`;
}

const pairsOf = ({ dialect }: EntryView, names: readonly EntryKey[]): Sql =>
  dialect.pairs(names.map(({ entity_path, key }) => [entity_path, key]));

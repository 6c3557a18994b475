import { type Query, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entriesIn, type Including } from './relation.ts';
import type { EntryRow } from './rows.ts';

export type NamedEntryFacts = Pick<EntryRow, 'entry_id' | 'entity_path' | 'key' | 'shared'>;
type EntryName = Pick<EntryRow, 'entity_path' | 'key'>;

/** Returns the entries of a view with these names: one result per name, in order. */
export async function findNamedEntries(
  query: Query,
  view: EntryView,
  { names, including = 'live' }: { names: readonly EntryName[]; including?: Including },
): Promise<(NamedEntryFacts | undefined)[]> {
  if (names.length === 0) return [];
  const pairs = view.dialect.pairs(names.map(({ entity_path, key }) => [entity_path, key]));
  const rows = await query.all<NamedEntryFacts>(
    sql`SELECT entry_id, entity_path, key, shared FROM ${pairs} CROSS JOIN ${entriesIn(view, { including })}
        WHERE entity_path = pairs.a AND key = pairs.b`,
  );
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return names.map((name) => byName.get(nameOf(name)));
}

const nameOf = ({ entity_path, key }: EntryName): string => `${entity_path}\n${key}`;

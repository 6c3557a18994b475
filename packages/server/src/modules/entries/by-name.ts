import { type Find, type Query, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import type { Including } from './relation.ts';
import { entriesNamed } from './relation-by-name.ts';
import type { EntryRow } from './rows.ts';

export type NamedEntryFacts = Pick<EntryRow, 'entry_id' | 'entity_path' | 'key' | 'shared' | 'agent_id'>;
type EntryName = Pick<EntryRow, 'entity_path' | 'key'>;

/** Returns the entries of a view with these names: one result per name, in order. */
export async function findNamedEntries(
  query: Query,
  view: EntryView,
  { names, including = 'live' }: { names: readonly EntryName[]; including?: Including },
): Promise<(NamedEntryFacts | undefined)[]> {
  if (names.length === 0) return [];
  const rows = await query.all<NamedEntryFacts>(
    sql`SELECT entry_id, entity_path, key, shared, agent_id FROM ${entriesNamed(view, names, { including })}`,
  );
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return names.map((name) => byName.get(nameOf(name)));
}

const nameOf = ({ entity_path, key }: EntryName): string => `${entity_path}\n${key}`;

/** Documents of up to this size come with the heads; longer ones are loaded one by one. */
const SHORT_BYTES = 64 * 1024;

/** The current row of an entry, in whatever state, with its document unless it is long. */
export type NamedHead = Pick<
  EntryRow,
  'entry_id' | 'branch' | 'entity_path' | 'agent_id' | 'version' | 'seq' | 'deleted' | 'shared'
> & { document: string | null };

const byName = { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' } as const;

const namedHeads: Find = {
  table: 'entries',
  select: `entry_id, branch, entity_path, agent_id, version, seq, deleted, shared,
    CASE WHEN octet_length(document) <= ${SHORT_BYTES} THEN document END AS document`,
  by: byName,
  packed: true,
};

/** Finds heads by name, on any branch and without a visibility check. One result per name; undefined where it was erased. */
export function findHeads(
  query: Query,
  accountId: string,
  names: readonly (EntryName & { branch: string })[],
): Promise<(NamedHead | undefined)[]> {
  return query.findMany<NamedHead>(
    namedHeads,
    names.map(({ branch, entity_path, key }) => [accountId, branch, entity_path, key]),
  );
}

const namedNumbers: Find = { table: 'entries', select: 'entry_id, pattern_refs', by: byName, packed: true };

/** The same, only the numbers and the patterns. */
export function findNamedNumbers(
  query: Query,
  accountId: string,
  names: readonly (EntryName & { branch: string })[],
): Promise<(Pick<EntryRow, 'entry_id' | 'pattern_refs'> | undefined)[]> {
  return query.findMany(
    namedNumbers,
    names.map(({ branch, entity_path, key }) => [accountId, branch, entity_path, key]),
  );
}

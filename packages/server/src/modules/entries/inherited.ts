import type { EntryKey } from '@mem-service/contract';
import { type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { findNamedEntries, findNamedNumbers, type NamedEntryFacts } from './by-name.ts';
import { findEntriesByNumber } from './by-number.ts';
import type { Including } from './relation.ts';
import { entriesNamed } from './relation-by-name.ts';

// An entry that a branch has changed has a number there and another where it was inherited from. Rows about entries, such as
// edges, have the number that it had when they were stored; what it is called is the same everywhere.

/** The number of an entry is the `seq` of its first version. */
const isInLineage = ({ lineage }: EntryView, { branch, entry_id }: { branch: string; entry_id: number }): boolean =>
  lineage.some((span) => span.branch === branch && (span.up_to_seq === null || entry_id <= span.up_to_seq));

/**
 * The entries that a view shows for numbers which they have on any branch of its lineage, by number. One that the caller may
 * not see is missing.
 */
export async function findShown(
  query: Query,
  view: EntryView,
  { ids, including }: { ids: Iterable<number>; including?: Including },
): Promise<Map<number, NamedEntryFacts>> {
  const numbers = [...new Set(ids)].map((entry_id) => ({ entry_id }));
  const facts = await findEntriesByNumber(query, view.account_id, numbers);
  const heads = facts.flatMap((head) => (head && isInLineage(view, head) ? [head] : []));
  const shown = await findNamedEntries(query, view, { names: heads, ...(including ? { including } : {}) });
  return new Map(heads.flatMap(({ entry_id }, i) => (shown[i] ? [[entry_id, shown[i]]] : [])));
}

type NumberedColumns = { ids: Iterable<number>; including: Including; columns: Sql };

/** The same with columns of the relation with standings, `entity_path` and `key` among them. */
export async function findShownRows<T extends EntryKey>(
  query: Query,
  view: EntryView,
  { ids, including, columns }: NumberedColumns,
): Promise<Map<number, T>> {
  const numbers = [...new Set(ids)].map((entry_id) => ({ entry_id }));
  const facts = await findEntriesByNumber(query, view.account_id, numbers);
  const heads = facts.flatMap((head) => (head && isInLineage(view, head) ? [head] : []));
  if (heads.length === 0) return new Map();
  const named = entriesNamed(view, heads, { including, standings: true });
  const rows = await query.all<T>(sql`SELECT ${columns} FROM ${named}`);
  const nameOf = ({ entity_path, key }: EntryKey) => `${entity_path}\n${key}`;
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return new Map(
    heads.flatMap((head) => {
      const row = byName.get(nameOf(head));
      return row ? [[head.entry_id, row]] : [];
    }),
  );
}

/** A number that an entry has in a span of a lineage, and where the span ends. */
export type InheritedNumber = { entry_id: number; up_to_seq: number | null };

/** The numbers that entries have in the lineage of a view, nearest first: one list per name, in order. */
export async function findNumbersOf(
  query: Query,
  view: EntryView,
  names: readonly EntryKey[],
): Promise<InheritedNumber[][]> {
  const { account_id, lineage } = view;
  const asked = names.flatMap(({ entity_path, key }) => lineage.map(({ branch }) => ({ branch, entity_path, key })));
  const found = asked.length === 0 ? [] : await findNamedNumbers(query, account_id, asked);
  return names.map((_, i) =>
    lineage.flatMap(({ up_to_seq }, at) => {
      const entry_id = found[i * lineage.length + at]?.entry_id;
      const isThere = entry_id !== undefined && (up_to_seq === null || entry_id <= up_to_seq);
      return isThere ? [{ entry_id, up_to_seq }] : [];
    }),
  );
}

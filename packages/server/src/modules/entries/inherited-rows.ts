import type { BranchSpan, Lineage, Work } from '../../kernel/index.ts';
import { type EntryWithLineRow, findEntriesIn } from './queries.ts';
import type { EntryAddress, VersionRow } from './rows.ts';
import { findWholeVersions } from './version-queries.ts';

/** An entry to load. With a lineage, an entry that its branch inherits is found as well. */
export type EntryPlace = EntryAddress & { lineage?: Lineage };

/** An entry that a branch inherits, and its address there. */
export type InheritedRow = { at: EntryAddress; row: EntryWithLineRow };

export async function findInherited(work: Work, places: readonly EntryPlace[]): Promise<InheritedRow[]> {
  const { account_id, now, dialect, tx } = work;
  const heirs = new Map<string, EntryPlace[]>();
  for (const at of places) {
    const lineage = JSON.stringify(at.lineage);
    heirs.set(lineage, [...(heirs.get(lineage) ?? []), at]);
  }
  const found: InheritedRow[] = [];
  for (const [text, names] of heirs) {
    const [{ branch }, ...lineage] = JSON.parse(text) as [BranchSpan, ...Lineage];
    const view = { account_id, lineage, agent_id: '', scope: undefined, at: now, dialect };
    for (const row of await findEntriesIn(tx, view, names)) found.push({ at: { ...row, branch }, row });
  }
  return found;
}

/** The versions that inherited entries are at, with their confidence as it was written. */
export async function withVersions(
  { tx, account_id }: Work,
  inherited: readonly InheritedRow[],
): Promise<(InheritedRow & { version: VersionRow })[]> {
  const keys = inherited.map(({ row }) => [account_id, row.entry_id, row.version]);
  const versions = keys.length === 0 ? [] : await tx.findMany<VersionRow>(findWholeVersions, keys);
  return inherited.flatMap((one, i) => (versions[i] ? [{ ...one, version: versions[i] }] : []));
}

import {
  type CountingWork,
  type EntryHead,
  type ErasedEntries,
  isInScope,
  type Scope,
  splitEntryName,
} from '../../kernel/index.ts';
import { erasedEntries, listHeadsNamed } from '../entries/index.ts';
import { entryNode, listFormerNames } from '../graph/index.ts';

/** Agents that connectors write as: nobody else writes in their name. */
const CONNECTOR = 'webhook/';

export type FormerPlaces = { scope: Scope | undefined; receipt_id: string };

/**
 * The places that the erased things had before, each with what was known of its thing there. An edge alone does not prove
 * that, since anybody can state one: it must also have been left by a connector.
 */
export async function formerPlaces(work: CountingWork, erased: ErasedEntries, { scope, receipt_id }: FormerPlaces) {
  const { account_id, branch, ids } = erased;
  if (ids.length === 0) return [];
  const nodes = work.dialect.texts(ids.map(entryNode));
  const former = await listFormerNames(work.tx, { account_id, branch, nodes });
  const names = former.flatMap((name) => splitEntryName(name) ?? []);
  if (names.length === 0) return [];
  const known = new Set(ids);
  const isLeft = ({ entry_id, deleted, agent_id, entity_path }: EntryHead) =>
    !known.has(entry_id) && deleted === 1 && agent_id.startsWith(CONNECTOR) && isInScope(scope, entity_path);
  const heads = (await listHeadsNamed(work, { account_id, branch }, names)).filter(isLeft);
  return [...erasedEntries(work, heads, receipt_id)];
}

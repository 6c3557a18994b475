import type { Query } from '../../db/index.ts';
import type { EntryAddress, EntryRow } from './rows.ts';
import { findStood } from './standings.ts';

/** How an entry stands now, in whatever state, without its content. */
export type StoodHead = Pick<
  EntryRow,
  | 'entry_id'
  | 'branch'
  | 'entity_path'
  | 'key'
  | 'seq'
  | 'deleted'
  | 'shared'
  | 'agent_id'
  | 'memory_type'
  | 'confidence'
  | 'standing'
> & { line_seq: number | null };

const STOOD_HEAD = [
  ...['entry_id', 'branch', 'entity_path', 'key', 'seq', 'deleted', 'shared', 'agent_id', 'memory_type'],
  ...['confidence', 'standing', 'line_seq'],
];
const stoodByName = findStood(STOOD_HEAD, { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' });
const stoodByNumber = findStood(STOOD_HEAD, { account_id: 'text', entry_id: 'int' });

/** Finds entries by name or by number, on any branch and without a visibility check; erased ones are left out. */
export async function findStoodHeads(
  query: Query,
  accountId: string,
  { names, ids }: { names: readonly EntryAddress[]; ids: readonly number[] },
): Promise<StoodHead[]> {
  const found = await Promise.all([
    query.findMany<StoodHead>(
      stoodByName,
      names.map(({ branch, entity_path, key }) => [accountId, branch, entity_path, key]),
    ),
    query.findMany<StoodHead>(
      stoodByNumber,
      ids.map((id) => [accountId, id]),
    ),
  ]);
  return [...new Map(found.flat().flatMap((head) => (head ? [[head.entry_id, head] as const] : []))).values()];
}

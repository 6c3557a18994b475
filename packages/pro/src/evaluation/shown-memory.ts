import {
  type Caller,
  findEntriesByNumber,
  isInScope,
  mayAgentSee,
  type Query,
  readScope,
  type Services,
} from '@mem-service/server/module';
import type { NumberedVersion } from './rules/finding.ts';

export type MemoryName = { entity_path: string; key: string; branch: string; version: number };
type MemoryReader = { read: Query; caller: Caller; services: Services };

/** Names of versions that findings rest on, as far as the caller may read the entries, also deleted ones; what was erased has none. */
export async function namesOf(
  { read, caller, services }: MemoryReader,
  lists: readonly (readonly NumberedVersion[])[],
): Promise<MemoryName[][]> {
  const numbers = lists.flat();
  if (numbers.length === 0) return lists.map(() => []);
  const heads = await findEntriesByNumber(read, caller.account_id, numbers);
  const scope = readScope(caller);
  const branches = await services.branchAccess.readable(caller);
  let at = 0;
  return lists.map((list) =>
    list.flatMap(({ version }) => {
      const head = heads[at++];
      if (!head || !mayAgentSee(head, caller.agent_id)) return [];
      const { entity_path, key, branch } = head;
      const isReadable = (scope === undefined || isInScope(scope, entity_path)) && (branches?.has(branch) ?? true);
      return isReadable ? [{ entity_path, key, branch, version }] : [];
    }),
  );
}

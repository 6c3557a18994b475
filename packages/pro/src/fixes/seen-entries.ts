import { type EntryRow, findEntriesIn, isLive, mayAgentSee, type ReadContext } from '@mem-service/server/module';

/** The live entries of `main` with these names that the caller may see, in any order. */
export async function findSeen(
  { scan, view, now, caller }: ReadContext,
  names: readonly { entity_path: string; key: string }[],
): Promise<EntryRow[]> {
  const rows = await findEntriesIn(
    scan,
    view,
    names.map(({ entity_path, key }) => ({ entity_path, key })),
  );
  return rows.filter((row) => isLive(row, now) && mayAgentSee(row, caller.agent_id));
}

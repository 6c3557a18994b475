import { type Glob, matchesGlob } from '@mem-service/contract';
import { isInScope, isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import { findEntriesByNumber, isLive, mayAgentSee } from '../entries/index.ts';
import { type GoldenRow, listGolden, namesOneOf } from './queries.ts';

/** With the name of the entry that answers. */
export type NamedGolden = GoldenRow & { hit_path: string; hit_key: string };

export type GoldenFilter = { paths?: readonly Glob[] | undefined; entry_ids?: readonly number[] };

/** The golden queries that a caller may see, newest first: the question, the paths that were asked, and the entry. */
export async function shownGolden(
  { scan, view, dialect }: Pick<ReadContext, 'scan' | 'view' | 'dialect'>,
  { paths, entry_ids }: GoldenFilter = {},
): Promise<NamedGolden[]> {
  if (!isNewestOfOneBranch(view)) return [];
  const rows = await listGolden(scan, view, entry_ids && [namesOneOf(dialect.numbers(entry_ids))]);
  const entries = await findEntriesByNumber(scan, view.account_id, rows);
  return rows.flatMap((row, at) => {
    const entry = entries[at];
    if (!isLive(entry, view.at) || !mayAgentSee(entry, view.agent_id)) return [];
    const { entity_path, key } = entry;
    const isWanted = paths === undefined || paths.some((glob) => matchesGlob(glob, entity_path));
    return isWanted && isInScope(view.scope, entity_path) ? [{ ...row, hit_path: entity_path, hit_key: key }] : [];
  });
}

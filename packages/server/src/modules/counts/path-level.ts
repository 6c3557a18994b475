import { type Glob, type Input, parseGlob } from '@mem-service/contract';
import {
  branchOf,
  cursorsOf,
  cutPage,
  isNewestOfOneBranch,
  type ReadContext,
  scopedPathConditions,
  toIso,
  withinPage,
} from '../../kernel/index.ts';
import { listCountedBlocks, listEntryBlocks, type PathBlock } from './queries.ts';

/** So many paths, or entries where none are counted, are added up for a page. */
const MOST_SCANNED = 100_000;
const cursors = cursorsOf('counts tree', ['string']);

type LevelBlock = PathBlock & { complete: boolean };

/** One level of the tree of paths. */
export async function listLevel(context: ReadContext, input: Input<'entities.tree'>) {
  const { view, services } = context;
  const prefix = input.entity_path === undefined ? '' : `${input.entity_path}/`;
  const below: Glob | undefined = prefix === '' ? undefined : parseGlob(`${prefix}**`);
  const range = {
    prefix,
    where: scopedPathConditions(view.scope, below, 'name'),
    after: input.cursor === undefined ? '' : cursors.from(input.cursor)[0],
    scan: MOST_SCANNED,
    limit: input.limit + 1,
  };
  const found = isNewestOfOneBranch(view)
    ? await listCountedBlocks(context.scan, view, { scope: { ...view, branch: branchOf(view) }, range })
    : await listEntryBlocks(context.scan, view, { paths: below && [below], range });
  const shown = withinPage(services, reached(found), ({ block }) => [block]);
  const { items, ...page } = cutPage(shown, input.limit, ({ block }) => cursors.to([block]));
  const nodes = items.map(({ block, n, paths, last_at, complete }) => ({
    entity_path: block.endsWith('/') ? block.slice(0, -1) : block,
    below: block.endsWith('/'),
    entry_count: n,
    path_count: paths,
    last_updated: toIso(last_at),
    complete,
  }));
  return { nodes, ...page };
}

/** Up to the first block that was not looked at to its end. Public and own rows are each looked at up to a limit. */
function reached(found: readonly PathBlock[]): { rows: LevelBlock[]; more: boolean } {
  const endOf = (side: 'shared_rows' | 'own_rows') => {
    const rows = found.reduce((sum, block) => sum + block[side], 0);
    return rows < MOST_SCANNED ? found.length : found.findLastIndex((block) => block[side] > 0);
  };
  const end = Math.min(endOf('shared_rows'), endOf('own_rows'));
  const rows = found.slice(0, end + 1).map((block, i) => ({ ...block, complete: i < end }));
  return { rows, more: end < found.length };
}

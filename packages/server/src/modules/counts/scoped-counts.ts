import type { Glob, Input } from '@mem-service/contract';
import {
  type Cursors,
  cutPage,
  type EntryView,
  isNewestOfOneBranch,
  type ReadContext,
  readAccount,
  toIso,
  withinPage,
} from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** Counts are stored for the newest state of each whole branch. For any other view the entries themselves are counted. */
export const isCounted = (view: EntryView): boolean => view.scope === undefined && isNewestOfOneBranch(view);

export async function statsInScope({ scan, read, view }: ReadContext) {
  const edge = async (newest: boolean) => {
    const row = await queries.getEdgeTime(scan, view, newest);
    return row ? toIso(row.written_at) : null;
  };
  const totals = await queries.countTotals(scan, view);
  const types = await queries.countTypes(scan, view);
  return {
    total_entries: totals?.n ?? 0,
    total_entities: totals?.paths ?? 0,
    total_agents: totals?.agents ?? 0,
    total_patterns: await queries.countPatterns(scan, view),
    confidence_avg: totals && totals.n > 0 ? Math.round((totals.confidence_sum / totals.n) * 1e6) / 1e6 : null,
    memory_type_counts: Object.fromEntries(types.map(({ memory_type, n }) => [memory_type, n])),
    oldest_entry_at: await edge(false),
    newest_entry_at: await edge(true),
    last_seq: lastSeqOf(view) ?? (await readAccount(read, view.account_id))?.seq ?? 0,
    retrieval: null,
  };
}

/** A view that ends at a `seq` contains nothing newer. */
const lastSeqOf = ({ lineage }: EntryView): number | null => lineage[0]?.up_to_seq ?? null;

type PatternsInput = Pick<Input<'patterns.list'>, 'limit' | 'cursor'>;

const afterOf = ({ cursor }: PatternsInput, cursors: Cursors<readonly ['string']>): string =>
  cursor === undefined ? '' : cursors.from(cursor)[0];

/** The texts of a row that a list shows. */
export const shownOf = ({ name, last_agent = null }: { name: string; last_agent?: string | null }) => [
  name,
  last_agent,
];

export async function patternsInScope(
  { scan, view, services }: ReadContext,
  input: PatternsInput,
  cursors: Cursors<readonly ['string']>,
) {
  const page = { after: afterOf(input, cursors), limit: input.limit + 1 };
  const found = withinPage(services, await queries.listPatterns(scan, view, page), shownOf);
  return cutPage(found, input.limit, (row) => cursors.to([row.name]));
}

export async function entitiesWithin(
  { scan, view, services }: ReadContext,
  input: PatternsInput & { paths: readonly Glob[] | undefined; from_path?: string | undefined },
  cursors: Cursors<readonly ['string']>,
) {
  const { paths, from_path: from = '' } = input;
  const page = { paths, from, after: afterOf(input, cursors), limit: input.limit + 1 };
  const found = withinPage(services, await queries.listEntities(scan, view, page), shownOf);
  return cutPage(found, input.limit, (row) => cursors.to([row.name]));
}

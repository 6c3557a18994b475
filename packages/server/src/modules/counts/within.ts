import type { Input } from '@mem-service/contract';
import {
  type Cursors,
  cutPage,
  type ReadContext,
  readAccount,
  readReach,
  toIso,
  withinReach,
} from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** The numbers of the part of an account that a key sees. Nobody keeps them, so the entries there are counted. */
export async function statsWithin(context: ReadContext, scope: queries.CountScope) {
  const { scan, read, now, dialect, caller } = context;
  const within = withinReach(readReach(caller));
  const edge = async (newest: boolean) => {
    const row = await queries.getEdgeTime(scan, { ...scope, now, within }, newest);
    return row ? toIso(row.written_at) : null;
  };
  const totals = await queries.countTotals(scan, scope, within);
  const types = await queries.countTypes(scan, scope, within);
  return {
    total_entries: totals?.n ?? 0,
    total_entities: totals?.paths ?? 0,
    total_agents: totals?.agents ?? 0,
    total_patterns: await queries.countPatterns(scan, { ...scope, engine: dialect.engine }, within),
    confidence_avg: totals && totals.n > 0 ? Math.round((totals.confidence_sum / totals.n) * 1e6) / 1e6 : null,
    memory_type_counts: Object.fromEntries(types.map(({ memory_type, n }) => [memory_type, n])),
    oldest_entry_at: await edge(false),
    newest_entry_at: await edge(true),
    last_seq: (await readAccount(read, scope.account_id))?.seq ?? 0,
  };
}

type Page = Pick<Input<'patterns.list'>, 'branch' | 'limit' | 'cursor'>;

export async function patternsWithin(context: ReadContext, input: Page, cursors: Cursors<readonly ['string']>) {
  const { scan, dialect, caller } = context;
  const { account_id, agent_id } = caller;
  const [after] = input.cursor === undefined ? [''] : cursors.from(input.cursor);
  const scope = { account_id, agent_id, branch: input.branch, engine: dialect.engine };
  const page = { within: withinReach(readReach(caller)), after, limit: input.limit + 1 };
  return cutPage(await queries.listPatterns(scan, scope, page), input.limit, (row) => cursors.to([row.name]));
}

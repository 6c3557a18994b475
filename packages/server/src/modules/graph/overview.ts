import { jsonBytes } from '@mem-service/contract';
import {
  countReadPaths,
  loggedIn,
  pageBytes,
  type ReadContext,
  readAccount,
  readScope,
  reads,
  startWithin,
  toIso,
} from '../../kernel/index.ts';
import { countCausePaths, ledWithin, listOutcomes, type OutcomeRow } from '../ledger/index.ts';
import { countWrittenPaths, hasMoreEntries } from './overview-queries.ts';
import { edgesBetween, heaviestNodes, type OverviewLink, type OverviewNode } from './rules/overview.ts';

const MAX_LINKS = 10_000;
const MAX_ENTRIES = 10_000;
const MAX_OUTCOMES = 200;
/** About as much as a node takes beside its name, with two edges. */
const NODE_BYTES = 300;

type PartOfMap = { links: OverviewLink[]; isCut: boolean };
/** `types`: how the newest outcome of each reference went. */
type OutcomesOfMap = PartOfMap & { types: ReadonlyMap<string, string> };

const agent = (name: string) => ({ type: 'agent' as const, name });
const path = (name: string) => ({ type: 'entity' as const, name });

export const overview = reads<'graph.overview'>(async (context, input) => {
  const parts = await Promise.all([written(context), read(context), ended(context)]);
  const [, , { types }] = parts;
  const links = parts.flatMap((part) => part.links);
  const all = heaviestNodes(links);
  const bytesOf = ({ name }: OverviewNode) => NODE_BYTES + jsonBytes(name);
  const nodes = startWithin(all.slice(0, input.limit), pageBytes(context.services), bytesOf);
  const between = edgesBetween(nodes, links);
  const edges = between.slice(0, 2 * input.limit);
  return {
    nodes: nodes.map(({ type, name, weight, last_at }) => ({
      type,
      name,
      weight,
      last_seen: toIso(last_at),
      outcome_type: type === 'outcome' ? (types.get(name) ?? null) : null,
    })),
    edges: edges.map(({ last_at, ...edge }) => ({ ...edge, last_seen: toIso(last_at) })),
    truncated: nodes.length < all.length || edges.length < between.length || parts.some(({ isCut }) => isCut),
  };
});

/** Who wrote where: among the newest entries. */
async function written({ scan, view, services }: ReadContext): Promise<PartOfMap> {
  const most = Math.min(services.limits.max_scanned_entries, MAX_ENTRIES);
  const [rows, isLong] = await Promise.all([
    countWrittenPaths(scan, view, { scan: most, limit: MAX_LINKS }),
    hasMoreEntries(scan, view, most),
  ]);
  const links = rows.map(({ agent_id, entity_path, n, last_at }) => ({
    source: agent(agent_id),
    relation: 'wrote',
    target: path(entity_path),
    n,
    last_at,
  }));
  return { links, isCut: isLong || rows.length === MAX_LINKS };
}

/** Who read where what others wrote: among the newest events of the log. */
async function read({ scan, view, caller, services }: ReadContext): Promise<PartOfMap> {
  const { account_id } = view;
  const end = (await readAccount(scan, account_id))?.seq ?? 0;
  const after = Math.max(0, end - services.limits.max_scanned_entries);
  const scope = readScope(caller);
  const rows = await countReadPaths(scan, account_id, { after, where: [loggedIn(view)], scope, limit: MAX_LINKS });
  const links = rows.map(({ agent_id, entity_path, n, last_at }) => ({
    source: agent(agent_id),
    relation: 'read',
    target: path(entity_path),
    n,
    last_at,
  }));
  return { links, isCut: after > 0 || rows.length === MAX_LINKS };
}

/** The newest outcomes, who committed them, and the paths of what led to them. */
async function ended({ scan, view, caller, dialect, services }: ReadContext): Promise<OutcomesOfMap> {
  const viewer = { account_id: view.account_id, agent_id: view.agent_id, scope: readScope(caller) };
  const { rows, more } = await listOutcomes(scan, viewer, {
    where: [],
    filters: [loggedIn(view), ...ledWithin(viewer, 'looked_at')],
    scan: services.limits.max_scanned_entries,
    limit: MAX_OUTCOMES + 1,
    bytes: pageBytes(services),
  });
  const outcomes = new Map(rows.slice(0, MAX_OUTCOMES).map((row) => [row.seq, row]));
  const causes = await countCausePaths(scan, viewer, { seqs: dialect.numbers([...outcomes.keys()]), limit: MAX_LINKS });
  const node = ({ outcome_ref }: OutcomeRow) => ({ type: 'outcome' as const, name: outcome_ref });
  const links = [
    ...[...outcomes.values()].map((row) => ({
      source: agent(row.agent_id),
      relation: 'committed',
      target: node(row),
      n: 1,
      last_at: row.committed_at,
    })),
    ...causes.flatMap(({ seq, entity_path, n }) => {
      const outcome = outcomes.get(seq);
      if (!outcome) return [];
      return {
        source: path(entity_path),
        relation: 'informed',
        target: node(outcome),
        n,
        last_at: outcome.committed_at,
      };
    }),
  ];
  const oldestFirst = [...outcomes.values()].sort((a, b) => a.seq - b.seq);
  const types = new Map(oldestFirst.map(({ outcome_ref, outcome_type }) => [outcome_ref, outcome_type]));
  return { links, types, isCut: more || rows.length > MAX_OUTCOMES || causes.length === MAX_LINKS };
}

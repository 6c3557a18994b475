import {
  branchOf,
  type Handlers,
  isNewestOfOneBranch,
  type ReadContext,
  reads,
  toIso,
  withinPage,
} from '../../../kernel/index.ts';
import { countWritten } from '../../counts/index.ts';
import { nodesOf, readsByAuthor } from '../rules/memory.ts';
import { writersInScope } from '../scoped-agents.ts';
import { listInheritedReads, listReads, listWritten } from './queries.ts';

const MAX_ENTRIES = 1000;

/** The entries that an agent has read, as far as the caller may see. */
async function readsOf({ scan, view, services }: ReadContext, reader: string) {
  const list = isNewestOfOneBranch(view) ? listReads : listInheritedReads;
  const rows = await list(scan, view, { reader, limit: MAX_ENTRIES + 1 });
  const first = withinPage(services, rows.slice(0, MAX_ENTRIES), shownTwice);
  const read = first.rows.flatMap(({ entity_path, key, ...row }) =>
    entity_path === null || key === null ? [] : { entity_path, key, ...row },
  );
  return { read, isCut: first.more || rows.length > MAX_ENTRIES };
}

type NamedRow = { entity_path: string | null; key: string | null };

const namesOf = ({ entity_path, key }: NamedRow) => [entity_path, key];
/** What was read is among the nodes and under its author. */
const shownTwice = (row: NamedRow) => [...namesOf(row), ...namesOf(row)];

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

const memoryGraph = reads<'agents.memory_graph'>(async (context, input) => {
  const { agent_id } = input;
  const { view } = context;
  const { account_id, agent_id: viewer } = view;
  const here = await writersInScope(context, { after: '', limit: 1 }, agent_id);
  const [rows, { read, isCut }, counts] = await Promise.all([
    listWritten(context.scan, view, { agent_id, limit: MAX_ENTRIES + 1 }),
    readsOf(context, agent_id),
    here ??
      countWritten(context.read, { account_id, viewer, branch: branchOf(view) }, { first: agent_id, last: agent_id }),
  ]);
  const first = withinPage(context.services, rows.slice(0, MAX_ENTRIES), namesOf);
  const written = first.rows.map((row) => ({ ...row, written_at: toIso(row.written_at) }));
  return {
    agent_id,
    nodes: nodesOf(written, read),
    total_written: sum(counts.map(({ n }) => n)),
    total_reads: sum(read.map(({ read_count }) => read_count)),
    total_recalls: sum(written.map(({ recall_count }) => recall_count)),
    cross_agent_reads: readsByAuthor(read, agent_id),
    truncated: isCut || first.more || rows.length > MAX_ENTRIES,
  };
});

const crossAgentReads = reads<'agents.cross_agent_reads'>(async (context, input) => {
  const { agent_id } = input;
  const { read, isCut } = await readsOf(context, agent_id);
  const reads_from = readsByAuthor(read, agent_id);
  const counts = Object.values(reads_from).flatMap((entries) => entries.map(({ read_count }) => read_count));
  return {
    agent_id,
    reads_from,
    agents_read_from: Object.keys(reads_from),
    total_cross_agent_reads: sum(counts),
    truncated: isCut,
  };
});

export const graphHandlers: Handlers = {
  'agents.memory_graph': memoryGraph,
  'agents.cross_agent_reads': crossAgentReads,
};

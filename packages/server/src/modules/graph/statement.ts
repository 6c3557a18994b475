import { type Input, invalidInput, utf8Length } from '@mem-service/contract';
import {
  changed,
  type EntryView,
  EVERYONE,
  hashedBy,
  type Item,
  sessionOf,
  splitEntryName,
  toIso,
  viewInWork,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { edgeIdOf } from './erase.ts';
import { listTold } from './ledger.ts';
import { toRow } from './link.ts';
import { findEdges, findLiveEntry, insertStatements, upsertEdgesReturning } from './queries.ts';
import { type Edge, entryNode, type NodeType } from './rules/edges.ts';
import { addUp, type Strength } from './rules/walk.ts';
import { MAX_NAME_BYTES } from './start.ts';

type Stated = Item<'graph.link'>;

/** An edge that a caller states itself. */
export const link = writes<'graph.link'>(async (work, stated) => {
  const output = await state(work, await edgeOf(work, stated), stated);
  return changed(output, { resource: output.edge_id, ...hashedBy(output) });
});

export type LinkedOnce = 'written' | 'unchanged' | 'missing';

/** The same, unless it is there, or one of its ends is not. */
export async function linkOnce(work: Work, stated: Stated, dryRun = false): Promise<LinkedOnce> {
  if (!(await areThere(work, stated))) return 'missing';
  const edge = await edgeOf(work, stated);
  const key = Object.keys(findEdges.by).map((name) => ({ account_id: work.account_id, ...edge })[name] as string);
  const [known] = await work.tx.findMany(findEdges, [key]);
  if (known) return 'unchanged';
  if (!dryRun) await state(work, edge, stated);
  return 'written';
}

/** What the agent sees that the edge is stated for. */
const viewOf = (work: Work, { input, caller, lineage }: Stated): EntryView =>
  viewInWork(work, { lineage, agent_id: input.agent_id ?? caller.agent_id });

async function areThere(work: Work, stated: Stated): Promise<boolean> {
  const view = viewOf(work, stated);
  const { input } = stated;
  for (const { type, name } of [endOf(input, 'source'), endOf(input, 'target')])
    if (type === 'entry' && !(await findEntry(work, view, name))) return false;
  return true;
}

function findEntry(work: Work, view: EntryView, name: string) {
  const at = splitEntryName(name);
  return at && findLiveEntry(work.tx, view, at);
}

async function edgeOf(work: Work, stated: Stated): Promise<Edge> {
  const { input } = stated;
  const view = viewOf(work, stated);
  const { branch, relation, confidence, source_type, target_type } = input;
  const source = await findEnd(work, view, endOf(input, 'source'));
  const target = await findEnd(work, view, endOf(input, 'target'));
  const visible_to = input.shared && source.shared && target.shared ? EVERYONE : view.agent_id;
  return {
    branch,
    source_type,
    source: source.id,
    visible_to,
    relation,
    target_type,
    target: target.id,
    confidence,
    evidence_count: 1,
  };
}

async function state(work: Work, edge: Edge, item: Stated) {
  const { input, caller } = item;
  const { branch, relation, confidence, source_type, target_type } = input;
  const agent_id = input.agent_id ?? caller.agent_id;
  const { visible_to } = edge;
  const edge_id = edgeIdOf(edge);
  const stated = { source: input.source, source_type, relation, target: input.target, target_type };
  const seq = work.emit({
    event_type: 'edge_added',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: { edge_id, ...stated, confidence },
    session: sessionOf(input.session_id ?? caller.session_id, caller.actor),
  });
  const { account_id } = work;
  work.send(work.tx.insertMany(insertStatements, [{ account_id, edge_id, seq }]));
  const [strength] = await work.tx.insertMany<Strength>(upsertEdgesReturning, [toRow(work, edge)]);
  const { first_seen, last_seen, ...rest } = await withTold(work, {
    view: viewOf(work, item),
    edge,
    stored: strength as Strength,
  });
  return {
    edge_id,
    ...stated,
    ...rest,
    first_seen: toIso(first_seen),
    last_seen: toIso(last_seen),
    shared: visible_to === EVERYONE,
    branch,
    seq,
  };
}

type Kept = { view: EntryView; edge: Edge; stored: Strength };

/** What outcomes say of the same edge counts with what was stated. */
async function withTold({ tx, dialect, services }: Work, { view, edge, stored }: Kept): Promise<Strength> {
  const { rows } = await listTold({ query: tx, dialect }, view, {
    nodes: [{ type: edge.source_type, id: edge.source }],
    sides: ['out'],
    relations: [edge.relation],
    left: services.limits.max_scanned_entries,
  });
  const told = rows.find(
    ({ other_type, other, visible_to }) =>
      other_type === edge.target_type && other === edge.target && visible_to === edge.visible_to,
  );
  return told ? addUp(stored, told) : stored;
}

type End = { field: 'source' | 'target'; type: NodeType; name: string };

const endOf = (input: Input<'graph.link'>, field: End['field']): End => ({
  field,
  type: input[`${field}_type`],
  name: input[field],
});

async function findEnd(
  work: Work,
  view: EntryView,
  { field, type, name }: End,
): Promise<{ id: string; shared: boolean }> {
  if (type !== 'entry') {
    if (utf8Length(name) > MAX_NAME_BYTES)
      throw invalidInput([{ path: field, message: `is longer than ${MAX_NAME_BYTES} bytes` }]);
    return { id: name, shared: true };
  }
  const entry = await findEntry(work, view, name);
  if (!entry) throw invalidInput([{ path: field, message: 'names no entry: entity_path/key is expected' }]);
  return { id: entryNode(entry.entry_id), shared: entry.shared === 1 };
}

import { type Input, invalidInput, utf8Length } from '@mem-service/contract';
import {
  bytesOfTexts,
  changed,
  type EntryView,
  EVERYONE,
  hashedBy,
  sessionName,
  splitEntryName,
  storeMore,
  toIso,
  viewInWork,
  type Work,
  type WriteItem,
  writes,
} from '../../kernel/index.ts';
import { findNamedEntries, refuseProtected } from '../entries/offers.ts';
import { edgeIdOf } from './erase.ts';
import { listLedgerEdges } from './ledger.ts';
import { findEdges, insertStatements, upsertEdges, upsertEdgesReturning } from './queries.ts';
import { type Edge, entryNode, type NodeType, textsOfEdge } from './rules/edges.ts';
import { addStrengths, type EdgeStrength } from './rules/walk.ts';
import { MAX_NAME_BYTES } from './start.ts';
import { toRow } from './stored-edges.ts';

type LinkItem = WriteItem<'graph.link'>;

/** Stores an edge that a caller asserts. */
export const link = writes<'graph.link'>(async (work, stated) => {
  refuseProtected(work, stated.input);
  const [ends] = await findEnds(work, viewOf(work, stated), [stated]);
  const output = await saveStatement(work, edgeOf(stated, ends as Ends), stated);
  const holds = [stated.input.source, stated.input.target].map(splitEntryName);
  return changed(output, { resource: output.edge_id, holds, ...hashedBy(output) });
});

export type LinkedOnce = 'written' | 'unchanged' | 'missing';

/** The same for many edges; skips those that exist and those with a missing end. One result per edge, in order. */
export async function linkAllOnce(work: Work, all: readonly LinkItem[], dryRun: boolean): Promise<LinkedOnce[]> {
  for (const { input } of all) refuseProtected(work, input);
  return linkBetween(work, all, { ends: await findEndsByAgent(work, all), dryRun });
}

type Between = {
  ends: readonly Ends[];
  /** Of which edges it is known that they do not exist. */
  isNew?: (i: number) => boolean;
  /** Which edges another event reports, without their names. */
  isReported?: (i: number) => boolean;
  dryRun?: boolean;
};

/** The same between ends that were looked up before. */
export async function linkBetween(work: Work, all: readonly LinkItem[], between: Between): Promise<LinkedOnce[]> {
  const { ends, isNew = () => false, isReported = () => false, dryRun = false } = between;
  const edges = all.map((stated, i) =>
    isThere(stated, ends[i] as Ends) ? edgeOf(stated, ends[i] as Ends) : undefined,
  );
  const keys = edges.map((edge) => KEY_PARTS.map((name) => keyPart(work, edge, name)));
  const asked = keys.filter((_, i) => !isNew(i));
  const known = asked.length === 0 ? [] : await work.tx.findMany(findEdges, asked);
  const stated = new Set(asked.flatMap((key, i) => (known[i] ? [key.join('\n')] : [])));
  const found: LinkedOnce[] = [];
  const made: Made[] = [];
  for (const [i, edge] of edges.entries()) {
    const key = (keys[i] as string[]).join('\n');
    found.push(edge === undefined ? 'missing' : stated.has(key) ? 'unchanged' : 'written');
    if (edge === undefined || stated.has(key)) continue;
    stated.add(key);
    if (dryRun) continue;
    storeMore(work, bytesOfTexts(textsOfEdge(edge)));
    made.push({ edge, statement: isReported(i) ? undefined : emitEdge(work, edge, all[i] as LinkItem) });
  }
  saveEdges(work, made);
  return found;
}

type Made = { edge: Edge; statement: { edge_id: string; seq: number } | undefined };

function saveEdges(work: Work, made: readonly Made[]): void {
  if (made.length === 0) return;
  const { account_id, tx } = work;
  const statements = made.flatMap(({ statement }) => (statement ? [{ account_id, ...statement }] : []));
  if (statements.length > 0) work.send(tx.insertMany(insertStatements, statements));
  work.send(
    tx.insertMany(
      upsertEdges,
      made.map(({ edge }) => toRow(work, edge)),
    ),
  );
}

const KEY_PARTS = Object.keys(findEdges.by) as ('account_id' | keyof Edge)[];

const keyPart = ({ account_id }: Work, edge: Edge | undefined, name: 'account_id' | keyof Edge): string =>
  name === 'account_id' ? account_id : String(edge?.[name] ?? '');

/** The view of the agent that the edge is asserted for. */
const viewOf = (work: Work, { input, caller, lineage }: LinkItem): EntryView =>
  viewInWork(work, { lineage, agent_id: input.agent_id ?? caller.agent_id });

export type FoundEnd = { id: string; shared: boolean } | undefined;
export type Ends = { source: FoundEnd; target: FoundEnd };

export const entryEnd = ({ entry_id, shared }: { entry_id: number; shared: boolean }): FoundEnd => ({
  id: entryNode(entry_id),
  shared,
});

/** Looks up the ends in the view of each agent. */
async function findEndsByAgent(work: Work, all: readonly LinkItem[]): Promise<Ends[]> {
  const agents = new Map<string, LinkItem[]>();
  for (const stated of all) {
    const agent_id = stated.input.agent_id ?? stated.caller.agent_id;
    agents.set(agent_id, [...(agents.get(agent_id) ?? []), stated]);
  }
  const found = new Map<LinkItem, Ends>();
  for (const some of agents.values()) {
    const ends = await findEnds(work, viewOf(work, some[0] as LinkItem), some);
    for (const [i, stated] of some.entries()) found.set(stated, ends[i] as Ends);
  }
  return all.map((stated) => found.get(stated) as Ends);
}

/** The ends of edges: entries as the view shows them, everything else by its name. */
async function findEnds(work: Work, view: EntryView, all: readonly LinkItem[]): Promise<Ends[]> {
  const ends = all.flatMap(({ input }) => [endOf(input, 'source'), endOf(input, 'target')]);
  const addresses = ends.map(({ type, name }) => (type === 'entry' ? splitEntryName(name) : undefined));
  const names = addresses.flatMap((at) => at ?? []);
  const entries = await findNamedEntries(work.tx, view, { names });
  let next = 0;
  const found = ends.map(({ type, name }, i): FoundEnd => {
    if (type !== 'entry') return { id: name, shared: true };
    const entry = addresses[i] && entries[next++];
    return entry && entryEnd({ entry_id: entry.entry_id, shared: entry.shared === 1 });
  });
  return all.map((_, i) => ({ source: found[2 * i], target: found[2 * i + 1] }));
}

const isThere = ({ input }: LinkItem, { source, target }: Ends): boolean =>
  (input.source_type !== 'entry' || source !== undefined) && (input.target_type !== 'entry' || target !== undefined);

function edgeOf({ input, caller }: LinkItem, ends: Ends): Edge {
  const { branch, relation, confidence, source_type, target_type } = input;
  const source = checkEnd(endOf(input, 'source'), ends.source);
  const target = checkEnd(endOf(input, 'target'), ends.target);
  const visible_to = input.shared && source.shared && target.shared ? EVERYONE : (input.agent_id ?? caller.agent_id);
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

const namesOf = ({ source, source_type, relation, target, target_type }: LinkItem['input']) => ({
  source,
  source_type,
  relation,
  target,
  target_type,
});

function emitEdge(work: Work, edge: Edge, { input, caller }: LinkItem): { edge_id: string; seq: number } {
  const edge_id = edgeIdOf(edge);
  const seq = work.emit({
    event_type: 'edge_added',
    agent_id: input.agent_id ?? caller.agent_id,
    branch: edge.branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: edge.visible_to,
    details: { edge_id, ...namesOf(input), confidence: edge.confidence },
    session: sessionName(input.session_id ?? caller.session_id, caller),
  });
  return { edge_id, seq };
}

async function saveStatement(work: Work, edge: Edge, stated: LinkItem) {
  const { edge_id, seq } = emitEdge(work, edge, stated);
  work.send(work.tx.insertMany(insertStatements, [{ account_id: work.account_id, edge_id, seq }]));
  const [strength] = await work.tx.insertMany<EdgeStrength>(upsertEdgesReturning, [toRow(work, edge)]);
  // An edge that was there before has more evidence than this.
  if (strength?.evidence_count === 1) storeMore(work, bytesOfTexts(textsOfEdge(edge)));
  const { first_seen, last_seen, ...rest } = await addLedgerStrength(work, {
    view: viewOf(work, stated),
    edge,
    stored: strength as EdgeStrength,
  });
  return {
    edge_id,
    ...namesOf(stated.input),
    ...rest,
    first_seen: toIso(first_seen),
    last_seen: toIso(last_seen),
    shared: edge.visible_to === EVERYONE,
    branch: edge.branch,
    seq,
  };
}

type StoredEdge = { view: EntryView; edge: Edge; stored: EdgeStrength };

/** Adds the strength that outcomes give to the same edge. */
async function addLedgerStrength(
  { tx, dialect, services }: Work,
  { view, edge, stored }: StoredEdge,
): Promise<EdgeStrength> {
  const { rows } = await listLedgerEdges({ query: tx, dialect }, view, {
    nodes: [{ type: edge.source_type, id: edge.source }],
    sides: ['out'],
    relations: [edge.relation],
    left: services.limits.max_scanned_entries,
  });
  const fromLedger = rows.find(
    ({ other_type, other, visible_to }) =>
      other_type === edge.target_type && other === edge.target && visible_to === edge.visible_to,
  );
  return fromLedger ? addStrengths(stored, fromLedger) : stored;
}

type LinkEnd = { field: 'source' | 'target'; type: NodeType; name: string };

const endOf = (input: Input<'graph.link'>, field: LinkEnd['field']): LinkEnd => ({
  field,
  type: input[`${field}_type`],
  name: input[field],
});

function checkEnd({ field, type, name }: LinkEnd, found: FoundEnd): NonNullable<FoundEnd> {
  if (type !== 'entry' && utf8Length(name) > MAX_NAME_BYTES)
    throw invalidInput([{ path: field, message: `is longer than ${MAX_NAME_BYTES} bytes` }]);
  if (!found) throw invalidInput([{ path: field, message: 'names no entry: entity_path/key is expected' }]);
  return found;
}

import { type DigestType, sourceOf } from './cited.ts';

/** A write, deletion or expiry of an entry; `agents` are its author and that of the version before. */
export type TouchedEntry = {
  branch: string;
  seq: number;
  entity_path: string;
  entry_id: number;
  agents: readonly string[];
  /** Its first version, so that no digest has it yet. */
  is_new: boolean;
  is_private: boolean;
  has_patterns: boolean;
};

/** An outcome that everybody may see, and its shared causes. */
export type TouchedOutcome = {
  branch: string;
  seq: number;
  agent_id: string;
  causes: readonly { entry_id: number; entity_path: string; written_by: string | null; success: boolean }[];
};

/** A path that an edge was added to. */
export type TouchedPath = { branch: string; seq: number; entity_path: string };

export type Touched = {
  entries: readonly TouchedEntry[];
  outcomes: readonly TouchedOutcome[];
  paths: readonly TouchedPath[];
};

/** A digest that has to be compiled, and what made it due. */
export type DueDigest = {
  branch: string;
  digest_type: DigestType;
  scope: string;
  /** The last event that made it due. */
  seq: number;
  entries: Set<number>;
  /** By `seq`, the entries of the scope that led to each. */
  outcomes: Map<number, Set<number>>;
  /** `compared`: entries that it may have already have changed. `all`: whatever it was before. */
  change: 'new entries' | 'compared' | 'all';
  /** The agent that a digest of an agent or a source is reported for; undefined where none is known. */
  author: string | undefined;
  /** Only if there is a digest already, and only if it changes: nobody else may learn of a private write. */
  if_changed: boolean;
};

/** The digest of an agent: under the name of the source where it is one. */
export const agentScope = (agentId: string): Pick<DueDigest, 'digest_type' | 'scope'> & { author: string } => {
  const source = sourceOf(agentId);
  return source === undefined
    ? { digest_type: 'agent_brief', scope: agentId, author: agentId }
    : { digest_type: 'source', scope: source, author: agentId };
};

/** Each digest once that what was touched makes due, beside those that are due already, by name. */
export function dueDigests({ entries, outcomes, paths }: Touched, due = new Map<string, DueDigest>()): DueDigest[] {
  const need = (
    { branch, seq }: { branch: string; seq: number },
    { digest_type, scope, author }: Pick<DueDigest, 'digest_type' | 'scope'> & { author?: string },
    { if_changed = false, is_new = false } = {},
  ) => {
    const name = `${branch}\n${digest_type}\n${scope}`;
    let known = due.get(name);
    if (!known) {
      const nothing = { entries: new Set<number>(), outcomes: new Map(), change: 'new entries' as const };
      known = { branch, digest_type, scope, seq, ...nothing, author, if_changed };
      due.set(name, known);
    }
    known.seq = Math.max(known.seq, seq);
    known.if_changed &&= if_changed;
    if (!is_new) known.change = 'compared';
    return known;
  };
  for (const entry of entries) {
    const { entity_path: scope, entry_id, is_new, is_private, has_patterns } = entry;
    const how = { if_changed: is_private, is_new };
    const changed = [{ digest_type: 'entity' as const, scope }, ...entry.agents.map(agentScope)].map((digest) =>
      need(entry, digest, how),
    );
    if (has_patterns) changed.push(need(entry, { digest_type: 'connection_map', scope }, { if_changed: true }));
    // Nothing private is in a digest; where it was shared before, the digest has its number.
    if (!is_private) for (const { entries } of changed) entries.add(entry_id);
  }
  for (const outcome of outcomes) {
    const { seq, agent_id, causes } = outcome;
    const add = (digest: DueDigest, entryId: number) => {
      digest.entries.add(entryId);
      digest.outcomes.set(seq, (digest.outcomes.get(seq) ?? new Set()).add(entryId));
    };
    const own = need(outcome, agentScope(agent_id));
    if (!own.outcomes.has(seq)) own.outcomes.set(seq, new Set());
    for (const [scope, entryIds] of tiesIn(causes)) {
      const map = need(outcome, { digest_type: 'connection_map', scope }, { is_new: true });
      map.outcomes.set(seq, new Set(entryIds));
    }
    for (const { entry_id, entity_path, written_by, success } of causes) {
      own.outcomes.get(seq)?.add(entry_id);
      add(need(outcome, { digest_type: 'entity', scope: entity_path }), entry_id);
      if (success) add(need(outcome, { digest_type: 'trace_pattern', scope: entity_path }), entry_id);
      if (written_by !== null) need(outcome, agentScope(written_by)).entries.add(entry_id);
    }
  }
  for (const path of paths) need(path, { digest_type: 'connection_map', scope: path.entity_path });
  return [...due.values()];
}

/** Paths that one outcome ties to each other: one that has used everything says little about each. */
const MOST_TIED = 12;
/** Outcomes that the map of a path is made of, and the entries of each, one at each path. */
export const TIES = { outcomes: 25, entries: MOST_TIED };

/** By path, an entry there and at each other path that the same outcome came of. */
function* tiesIn(causes: TouchedOutcome['causes']): Generator<[scope: string, entries: number[]]> {
  const first = new Map<string, number>();
  for (const { entity_path, entry_id } of causes) {
    if (first.size >= MOST_TIED) break;
    if (!first.has(entity_path)) first.set(entity_path, entry_id);
  }
  if (first.size < 2) return;
  const entries = [...first.values()];
  for (const scope of first.keys()) yield [scope, entries];
}

type OutcomeParts = readonly (readonly [seq: number, entries: readonly number[]])[];
type OutcomeBounds = { outcomes: number; entries: number };

/** The newest outcomes of a digest, newest first, each with a few of its entries. */
export function mergeOutcomes(
  before: OutcomeParts,
  added: ReadonlyMap<number, ReadonlySet<number>>,
  most: OutcomeBounds,
): [number, number[]][] {
  const all = new Map<number, Set<number>>(before.map(([seq, entries]) => [seq, new Set(entries)]));
  for (const [seq, entries] of added) all.set(seq, new Set([...(all.get(seq) ?? []), ...entries]));
  return [...all]
    .sort(([a], [b]) => b - a)
    .slice(0, most.outcomes)
    .map(([seq, entries]) => [seq, [...entries].sort((a, b) => a - b).slice(0, most.entries)]);
}

/** The newest outcomes that tie other entries than the map has already: agents use the same ones again and again. */
export function newTies(
  before: OutcomeParts,
  added: ReadonlyMap<number, ReadonlySet<number>>,
): Map<number, Set<number>> {
  const known = before.map(([, entries]) => new Set(entries));
  const found = new Map<number, Set<number>>();
  for (const [seq, ids] of [...added].sort(([a], [b]) => b - a).slice(0, TIES.outcomes)) {
    const entries = new Set(ids);
    if (known.some((those) => [...entries].every((id) => those.has(id)))) continue;
    known.push(entries);
    found.set(seq, entries);
  }
  return found;
}

import { type DigestType, sourceOf } from './cited.ts';

/** A write, deletion or expiry of an entry; `agents` are its author and that of the version before. */
export type TouchedEntry = {
  branch: string;
  entity_path: string;
  entry_id: number;
  agents: readonly string[];
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
export type TouchedPath = { branch: string; entity_path: string };

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
  entries: Set<number>;
  /** By `seq`, the entries of the scope that led to each. */
  outcomes: Map<number, Set<number>>;
  /** Only if there is a digest already, and only if it changes: nobody else may learn of a private write. */
  if_changed: boolean;
};

/** The digest of an agent: under the name of the source where it is one. */
export const agentScope = (agentId: string): Pick<DueDigest, 'digest_type' | 'scope'> => {
  const source = sourceOf(agentId);
  return source === undefined
    ? { digest_type: 'agent_brief', scope: agentId }
    : { digest_type: 'source', scope: source };
};

/** Each digest once that what was touched makes due. */
export function dueDigests({ entries, outcomes, paths }: Touched): DueDigest[] {
  const due = new Map<string, DueDigest>();
  const need = (
    branch: string,
    { digest_type, scope }: Pick<DueDigest, 'digest_type' | 'scope'>,
    ifChanged = false,
  ) => {
    const name = `${branch}\n${digest_type}\n${scope}`;
    let known = due.get(name);
    if (!known) {
      known = { branch, digest_type, scope, entries: new Set(), outcomes: new Map(), if_changed: ifChanged };
      due.set(name, known);
    }
    known.if_changed &&= ifChanged;
    return known;
  };
  for (const { branch, entity_path, entry_id, agents, is_private, has_patterns } of entries) {
    need(branch, { digest_type: 'entity', scope: entity_path }, is_private).entries.add(entry_id);
    for (const agent of agents) need(branch, agentScope(agent), is_private).entries.add(entry_id);
    if (has_patterns) need(branch, { digest_type: 'connection_map', scope: entity_path }, true).entries.add(entry_id);
  }
  for (const { branch, seq, agent_id, causes } of outcomes) {
    const add = (digest: DueDigest, entryId: number) => {
      digest.entries.add(entryId);
      digest.outcomes.set(seq, (digest.outcomes.get(seq) ?? new Set()).add(entryId));
    };
    const own = need(branch, agentScope(agent_id));
    if (!own.outcomes.has(seq)) own.outcomes.set(seq, new Set());
    for (const { entry_id, entity_path, written_by, success } of causes) {
      own.outcomes.get(seq)?.add(entry_id);
      add(need(branch, { digest_type: 'entity', scope: entity_path }), entry_id);
      if (success) add(need(branch, { digest_type: 'trace_pattern', scope: entity_path }), entry_id);
      if (written_by !== null) need(branch, agentScope(written_by)).entries.add(entry_id);
    }
  }
  for (const { branch, entity_path } of paths) need(branch, { digest_type: 'connection_map', scope: entity_path });
  return [...due.values()];
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

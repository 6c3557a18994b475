import type { digestTypes } from '@mem-service/contract';

export type DigestType = (typeof digestTypes)[number];

export type CitedStatus = 'untested' | 'validated' | 'contested' | 'discredited';

/** An entry that a digest may point at, as it stands now. */
export type CitedEntry = {
  entry_id: number;
  entity_path: string;
  key: string;
  version: number;
  seq: number;
  agent_id: string;
  memory_type: string;
  confidence: number;
  recall_count: number;
  written_at: number;
  status: CitedStatus;
  success_count: number;
  failure_count: number;
  last_outcome_at: number | null;
  /** A JSON list. */
  pattern_refs: string;
};

/** An outcome, and the entries of a scope that led to it. */
export type CitedOutcome = {
  seq: number;
  outcome_ref: string;
  outcome_type: string;
  agent_id: string;
  committed_at: number;
  entries: readonly CitedEntry[];
};

const EXTERNAL = /^(?:webhook|external)\/(.+)$/s;

/** The name of the external source behind an agent; undefined for an agent of its own. */
export const sourceOf = (agentId: string): string | undefined => EXTERNAL.exec(agentId)?.[1];

/** The agents that write for an external source. */
export const agentsOfSource = (source: string): readonly string[] => [`webhook/${source}`, `external/${source}`];

/** Types whose scope is a path. */
export const PATH_TYPES: readonly DigestType[] = ['entity', 'connection_map', 'trace_pattern'];
export const isAboutPath = (type: DigestType): boolean => PATH_TYPES.includes(type);

import type { patternShapes, VersionNumber } from '@mem-service/server/module';

/** Those of one group say the same; without one where the finding has no groups. */
export type GroupedEntry = VersionNumber & { group?: number | undefined };

/** What a rule has found, without a single name of an entry: these are looked up when it is shown. */
export type PatternFinding = {
  pattern_type: patternShapes.PatternType;
  severity: patternShapes.PatternSeverity;
  /** Of two findings of one type and severity the heavier one is kept where there is no room for both. */
  weight: number;
  /** What it is about: together with its type this is what makes it the same in every scan. */
  entity_path: string | null;
  agent_id: string | null;
  branch: string;
  pull_request_id: string | null;
  /** The place in the log of its newest evidence: what was resolved later than this stays resolved. */
  evidence_seq: number;
  figures: Readonly<Record<string, number>>;
  /** The clearest first. */
  entries: readonly GroupedEntry[];
  trace_ids: readonly string[];
  agents: readonly string[];
};

export const MAX_ENTRIES_SHOWN = 10;
export const MAX_TRACES_SHOWN = 10;
export const MAX_AGENTS_SHOWN = 10;

type FindingAtPath = Pick<PatternFinding, 'pattern_type' | 'severity' | 'weight' | 'evidence_seq' | 'figures'> &
  Partial<Pick<PatternFinding, 'trace_ids'>> & {
    entity_path: string;
    entries: readonly (GroupedEntry & { agent_id: string })[];
    /** Besides the authors of the entries. */
    agents?: readonly string[];
  };

/** A finding about a path on `main`. */
export function findingAt({ entries, agents = [], trace_ids = [], ...found }: FindingAtPath): PatternFinding {
  const shown = entries.slice(0, MAX_ENTRIES_SHOWN);
  const authors = shown.map(({ agent_id }) => agent_id);
  return {
    ...found,
    ...{ agent_id: null, branch: 'main', pull_request_id: null },
    entries: shown.map(({ entry_id, version, group }) => ({ entry_id, version, group })),
    trace_ids: [...new Set(trace_ids)].slice(0, MAX_TRACES_SHOWN),
    agents: [...new Set([...authors, ...agents])].slice(0, MAX_AGENTS_SHOWN),
  };
}

export const rounded = (figure: number): number => Math.round(figure * 1000) / 1000;

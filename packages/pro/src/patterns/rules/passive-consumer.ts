import type { PatternFinding } from './finding.ts';
import { DAY_MS, RECENT_DAYS, type ScanTerms } from './path-facts.ts';

const LEAST_READS = 20;
/** Reads of one day may be of a single task. */
const LEAST_DAYS = 2;
/** An agent that began later is new. */
const NEW_DAYS = 7;
const MANY_READS = 200;

/** What an agent did in the last 30 days. */
export type AgentActivity = {
  agent_id: string;
  first_at: number;
  /** Of entries that others wrote. */
  reads: number;
  days: number;
  /** What it wrote, committed, linked or reviewed. */
  contributions: number;
};

/** An agent that reads what others write, on several days, and neither writes anything itself nor says how it went. */
export function passiveConsumer(activity: AgentActivity, { at, recent_seq }: ScanTerms): PatternFinding | undefined {
  const { agent_id, first_at, reads, days, contributions } = activity;
  if (contributions > 0 || reads < LEAST_READS || days < LEAST_DAYS) return undefined;
  if (first_at > at - NEW_DAYS * DAY_MS) return undefined;
  return {
    pattern_type: 'passive_consumer',
    severity: reads >= MANY_READS ? 'warning' : 'info',
    weight: reads,
    ...{ entity_path: null, agent_id, branch: 'main', pull_request_id: null },
    // Comes back when it was so for a whole month after the resolution.
    evidence_seq: recent_seq - 1,
    figures: { reads, active_days: days, days: RECENT_DAYS },
    ...{ entries: [], trace_ids: [], agents: [agent_id] },
  };
}

import { addVerdict } from '../../entries/rules/verdict-standing.ts';
import type { Trust } from './posterior.ts';

/** What a line says of the verdicts on a trace: the last one, and what all of them add up to for the entry. */
export type VerdictStep = {
  trace_seq: number;
  judge_id: string;
  judge_version: number;
  verdict: VerdictWord;
  /** For and against the value. */
  pass: number;
  fail: number;
  n_causal: number;
  /** Who overruled the judge, or else the service. */
  agent_id: string;
  overruled: boolean;
  at: number;
};

export type VerdictWord = 'pass' | 'fail' | 'withdrawn';

/** The columns of a ledger line that a verdict wrote. */
export type VerdictLine = {
  trace_seq: number | null;
  judge_id: string | null;
  judge_version: number | null;
  outcome_type: string;
  evidence_success: number | null;
  evidence_failure: number | null;
  n_causal: number;
  agent_id: string;
  reason?: string | null;
  at: number;
};

/** The reason of a line that a person's word wrote in place of the judge's. */
export const OVERRULED = 'overruled';

export const verdictIn = (line: VerdictLine): VerdictStep => ({
  trace_seq: line.trace_seq ?? 0,
  judge_id: line.judge_id ?? '',
  judge_version: line.judge_version ?? 0,
  verdict: line.outcome_type as VerdictWord,
  pass: line.evidence_success ?? 0,
  fail: line.evidence_failure ?? 0,
  n_causal: line.n_causal,
  agent_id: line.agent_id,
  overruled: line.reason === OVERRULED,
  at: line.at,
});

export const applyVerdict = (trust: Trust, { trace_seq, pass, fail, at }: VerdictStep): Trust =>
  addVerdict(trust, [trace_seq, pass, fail, at]);

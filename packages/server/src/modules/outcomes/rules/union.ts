import type { Standing } from '../../entries/index.ts';
import type { OutcomeType } from './outcome-types.ts';
import { applyStep, type OutcomeModel, type Trust } from './posterior.ts';
import { applyVerdict, type VerdictLine, verdictIn } from './verdict-lines.ts';

/** A ledger line, as far as a union needs it. A line that a merge brought along has the position of the one it repeats. */
export type UnionLine = {
  seq: number;
  no: number;
  origin_seq: number | null;
  origin_no: number | null;
  model: string;
  outcome_type: string;
  causal_confidence: number;
  n_causal: number;
  agent_id: string;
  weight: number | null;
  at: number;
  confidence_before: number | null;
} & VerdictLine;

export const originOfLine = ({ seq, no, origin_seq, origin_no }: UnionLine): string =>
  `${origin_seq ?? seq} ${origin_no ?? no}`;

const byOrigin = (a: UnionLine, b: UnionLine): number =>
  (a.origin_seq ?? a.seq) - (b.origin_seq ?? b.seq) || (a.origin_no ?? a.no) - (b.origin_no ?? b.no);

/** Each line once, in the order in which outcomes were committed, on whatever branch. */
export function unionOfLines<T extends UnionLine>(one: readonly T[], other: readonly T[]): T[] {
  const all = new Map<string, T>();
  for (const line of [...one, ...other]) if (!all.has(originOfLine(line))) all.set(originOfLine(line), line);
  return [...all.values()].sort(byOrigin);
}

/**
 * What lines about one value add up to. The same lines give the same numbers to the last bit, whichever of them came through a
 * merge, and in whatever order. The first line knows the confidence as it was written; `claimed` is another that the author gave
 * the same value since.
 */
export function sumLines(lines: readonly UnionLine[], untouched: Standing, claimed?: number | null): Trust {
  let trust: Trust = { confidence: claimed ?? lines[0]?.confidence_before ?? 0, standing: untouched };
  for (const line of lines) trust = addLine(trust, line);
  return { confidence: trust.confidence, standing: trust.standing };
}

function addLine(trust: Trust, line: UnionLine): Trust {
  if (line.model === 'verdict') return applyVerdict(trust, verdictIn(line));
  if (line.model !== 'evidence' && line.model !== 'multiplicative')
    return { ...trust, confidence: trust.confidence * (line.weight ?? 1) };
  return applyStep(line.model as OutcomeModel, trust, { ...line, outcome_type: line.outcome_type as OutcomeType });
}

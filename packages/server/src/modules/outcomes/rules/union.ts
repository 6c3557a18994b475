import type { Standing } from '../../entries/index.ts';
import type { OutcomeType } from './outcome-types.ts';
import { applyStep, type OutcomeModel, type Trust } from './posterior.ts';

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
};

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
 * merge, and in whatever order. The first line knows the confidence as it was written.
 */
export function sumLines(lines: readonly UnionLine[], untouched: Standing): Trust {
  let trust: Trust = { confidence: lines[0]?.confidence_before ?? 0, standing: untouched };
  for (const line of lines)
    trust =
      line.model === 'evidence' || line.model === 'multiplicative'
        ? applyStep(line.model as OutcomeModel, trust, { ...line, outcome_type: line.outcome_type as OutcomeType })
        : { ...trust, confidence: trust.confidence * (line.weight ?? 1) };
  return { confidence: trust.confidence, standing: trust.standing };
}

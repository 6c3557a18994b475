import { type Rate, wilson } from './wilson.ts';

/** How often a judge and a label said the same; "found" is a failure. */
export type Confusion = { true_fail: number; false_fail: number; true_pass: number; false_pass: number };

export type DetectionRate = {
  confusion: Confusion;
  /** Of the traces that the judge failed, those that were failures. */
  precision: Rate;
  /** Of the failures, those that the judge failed. */
  recall: Rate;
  agreement: Rate;
  /** Cohen's kappa: 1 for full agreement, 0 for what chance would give; null where that is not defined. */
  kappa: number | null;
};

export const NO_CONFUSION: Confusion = { true_fail: 0, false_fail: 0, true_pass: 0, false_pass: 0 };

export type LabelledResult = { found: 'pass' | 'fail'; label: 'pass' | 'fail' };

export function confusionOf(pairs: Iterable<LabelledResult>): Confusion {
  const confusion = { ...NO_CONFUSION };
  for (const { found, label } of pairs) confusion[`${found === label ? 'true' : 'false'}_${found}`]++;
  return confusion;
}

export function detectionOf(confusion: Confusion): DetectionRate {
  const { true_fail, false_fail, true_pass, false_pass } = confusion;
  const all = true_fail + false_fail + true_pass + false_pass;
  return {
    confusion,
    precision: wilson(true_fail, true_fail + false_fail),
    recall: wilson(true_fail, true_fail + false_pass),
    agreement: wilson(true_fail + true_pass, all),
    kappa: kappaOf(confusion),
  };
}

export function kappaOf({ true_fail, false_fail, true_pass, false_pass }: Confusion): number | null {
  const all = true_fail + false_fail + true_pass + false_pass;
  if (all === 0) return null;
  const same = (true_fail + true_pass) / all;
  const byChance =
    ((true_fail + false_fail) * (true_fail + false_pass) + (true_pass + false_pass) * (true_pass + false_fail)) /
    all ** 2;
  return byChance === 1 ? null : (same - byChance) / (1 - byChance);
}

import type { PlanUsage } from '../../../kernel/index.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Warnings about the plan and the key, as sentences. */
export function warningsOf(usage: PlanUsage, keyEnds: string | null, now: number): string[] {
  const { has_plan, warning_level, ops_used, ops_limit, period } = usage;
  const warnings: string[] = [];
  if (!has_plan) warnings.push('The account is on no plan. Choose one.');
  else if (warning_level === 100)
    warnings.push(`All ${ops_limit} ops of this month are used (${ops_used}). More come on ${day(period.end)}.`);
  else if (warning_level !== null)
    warnings.push(`${warning_level} % of the ${ops_limit} ops of this month are used (${ops_used}).`);
  if (keyEnds !== null && Date.parse(keyEnds) - now < WEEK_MS)
    warnings.push(`This key expires on ${keyEnds}. Rotate it before.`);
  return warnings;
}

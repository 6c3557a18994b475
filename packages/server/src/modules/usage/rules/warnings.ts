import type { PlanUsage } from '../../../kernel/index.ts';
import { levelOf } from './levels.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type StorageBounds = Record<'storage_bytes' | 'storage_entries', { used: number | null; limit: number | null }>;
type WarningFacts = { limits: StorageBounds; key_ends: string | null; now: number };

/** Warnings about the plan and the key, as sentences. */
export function warningsOf(usage: PlanUsage, { limits, key_ends: keyEnds, now }: WarningFacts): string[] {
  const { has_plan, warning_level, ops_used, ops_limit, period } = usage;
  const warnings: string[] = [];
  if (!has_plan) warnings.push('The account is on no plan. Choose one.');
  else if (warning_level === 100)
    warnings.push(`All ${ops_limit} ops of this month are used (${ops_used}). More come on ${day(period.end)}.`);
  else if (warning_level !== null)
    warnings.push(`${warning_level} % of the ${ops_limit} ops of this month are used (${ops_used}).`);
  warnings.push(...storageWarning(limits.storage_bytes, 'bytes'), ...storageWarning(limits.storage_entries, 'entries'));
  if (keyEnds !== null && Date.parse(keyEnds) - now < WEEK_MS)
    warnings.push(`This key expires on ${keyEnds}. Rotate it before.`);
  return warnings;
}

function storageWarning({ used, limit }: StorageBounds['storage_bytes'], what: string): string[] {
  const level = used === null ? null : levelOf(used, limit);
  if (level === null) return [];
  const rest = level === 100 ? ' Writes that need more are refused.' : '';
  return [`${used} of the ${limit} ${what} of the plan are stored.${rest}`];
}

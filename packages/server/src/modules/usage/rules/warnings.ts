import type { PlanUsage } from '../../../kernel/index.ts';
import { levelOf } from './levels.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type StorageBound = { used: number | null; limit: number | null };
type StorageBounds = Record<`storage_${'bytes' | 'entries'}${'' | '_with_rooms'}`, StorageBound>;
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
  for (const what of ['bytes', 'entries'] as const) warnings.push(...storageWarnings(limits, what));
  if (keyEnds !== null && Date.parse(keyEnds) - now < WEEK_MS)
    warnings.push(`This key expires on ${keyEnds}. Rotate it before.`);
  return warnings;
}

function storageWarnings(limits: StorageBounds, what: 'bytes' | 'entries'): string[] {
  const own = limits[`storage_${what}`];
  const withRooms = limits[`storage_${what}_with_rooms`];
  const [level, levelWithRooms] = [levelIn(own), levelIn(withRooms)];
  const stored = (used: number | null) => `${used} of the ${own.limit} ${what} of the plan are stored`;
  const refused = (where: string) => ` Writes${where} that need more are refused.`;
  const warnings: string[] = [];
  if (level !== null) warnings.push(`${stored(own.used)}.${level === 100 ? refused('') : ''}`);
  // What holds without the rooms is not said again with them.
  if (levelWithRooms !== null && levelWithRooms !== level)
    warnings.push(`${stored(withRooms.used)}, with the rooms.${levelWithRooms === 100 ? refused(' in rooms') : ''}`);
  return warnings;
}

const levelIn = ({ used, limit }: StorageBound): number | null => (used === null ? null : levelOf(used, limit));

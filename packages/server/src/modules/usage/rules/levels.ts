export const LEVELS = [100, 95, 80] as const;
export type UsageLevel = (typeof LEVELS)[number];

/** The highest level that was reached. Without a limit there is none; of nothing, everything is used. */
export function levelOf(spent: number, limit: number | null): UsageLevel | null {
  if (limit === null) return null;
  for (const level of LEVELS) if (spent * 100 >= limit * level) return level;
  return null;
}

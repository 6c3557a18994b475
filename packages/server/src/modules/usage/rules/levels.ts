export const LEVELS = [100, 95, 80] as const;
export type UsageLevel = (typeof LEVELS)[number];

/** The highest level reached; null without a limit. With a limit of 0, everything counts as used. */
export function levelOf(spent: number, limit: number | null): UsageLevel | null {
  if (limit === null) return null;
  for (const level of LEVELS) if (spent * 100 >= limit * level) return level;
  return null;
}

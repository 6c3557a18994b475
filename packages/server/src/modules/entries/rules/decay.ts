export type FadingMemory = {
  confidence: number;
  memory_type: string;
  written_at: number;
  recall_count: number;
  outcome_count: number;
};

const DAY_MS = 86_400_000;

/** Beliefs fade faster than facts; experiences and procedures fade more slowly. */
export const LONGEVITY: Readonly<Record<string, number>> = { fact: 1, belief: 0.5, experience: 1.5, procedure: 2 };

/**
 * The confidence that is left after some time. Each recall and the first outcome slow the decay. Without a half-life there
 * is none.
 */
export function effectiveConfidence(
  entry: FadingMemory,
  { half_life_days, now }: { half_life_days: number | null; now: number },
): number {
  const { confidence, memory_type, written_at, recall_count, outcome_count } = entry;
  const ageDays = (now - written_at) / DAY_MS;
  if (half_life_days === null || half_life_days <= 0 || ageDays <= 0) return confidence;
  const recalled = 1 + Math.log(1 + recall_count);
  const halfLife = half_life_days * (LONGEVITY[memory_type] ?? 1) * recalled * (outcome_count > 0 ? 2 : 1);
  return confidence * 0.5 ** (ageDays / halfLife);
}

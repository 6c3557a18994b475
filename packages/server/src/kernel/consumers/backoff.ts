const FIRST_DELAY_MS = 1_000;
export const MAX_BACKOFF_MS = 60 * 60_000;

/**
 * The delay after a number of failures in a row. Randomised, so that work that failed together is not retried together.
 */
export function backoffMs(attempts: number, random: number = Math.random()): number {
  const delayMs = Math.min(MAX_BACKOFF_MS, FIRST_DELAY_MS * 2 ** (Math.max(1, attempts) - 1));
  return Math.round(delayMs * (0.5 + random / 2));
}

import type { FailureReason, ModelFailure } from '../model-error.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

type Rest = { until: number; failures: number; reason: FailureReason };

/** How long after a number of failures in a row: twice as long each time, or as long as the server asks for. */
export const restMs = (failures: number, retryAfterMs: number | undefined, longest = LONGEST_REST_MS): number =>
  Math.max(Math.min(longest, FIRST_REST_MS * 2 ** Math.min(failures - 1, 20)), retryAfterMs ?? 0);

/** Which servers are left alone after a failure, and until when. */
export class Rests {
  readonly #byKey = new Map<string, Rest>();

  reasonAt(key: string, now: number): FailureReason | undefined {
    const rest = this.#byKey.get(key);
    return rest && rest.until > now ? rest.reason : undefined;
  }

  begin(key: string, { reason, retry_after_ms }: ModelFailure, now: number): void {
    const failures = (this.#byKey.get(key)?.failures ?? 0) + 1;
    this.#byKey.set(key, { until: now + restMs(failures, retry_after_ms), failures, reason });
  }

  end(key: string): void {
    this.#byKey.delete(key);
  }
}

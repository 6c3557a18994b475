import type { TestApp } from '../support/app.ts';

/** Lets the index of meaning catch up with the log. */
export async function caughtUp(app: TestApp): Promise<void> {
  app.clock.advance(2_000);
  await app.jobs.sweep();
}

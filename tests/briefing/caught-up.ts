import type { TestApp } from '../support/app.ts';

/** Lets what follows the log catch up with it. */
export async function caughtUp(app: TestApp): Promise<void> {
  await app.kernel.services.noteBuffer.flushAll();
  app.clock.advance(2_000);
  await app.jobs.sweep();
}

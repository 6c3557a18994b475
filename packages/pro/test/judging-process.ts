import { openApp } from '../../server/src/app.ts';
import { SELF_CALLER } from '../../server/src/kernel/index.ts';
import { modules } from '../src/index.ts';

/** A server that begins to judge the past, and goes on in the background. Started as a process of its own, to be killed. */
const { dataDir, postgresDsn, now } = JSON.parse(process.argv[2] as string) as {
  dataDir: string;
  postgresDsn?: string;
  now: number;
};

const app = await openApp({
  ...{ dataDir, postgresDsn, postgresPool: 4, modules, clock: { now: () => now }, sweepSeconds: 3600 },
});
const { backfill_id } = await app.kernel.invoke('backfills.create', {}, SELF_CALLER);
for (;;) {
  const { verdicts, status } = await app.kernel.invoke('backfills.read', { backfill_id }, SELF_CALLER);
  if (verdicts > 0 || status !== 'running') {
    console.log(`judged ${verdicts}`);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}

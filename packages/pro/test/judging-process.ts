import { clockFrom } from '../../../tests/support/clock-from.ts';
import { openApp } from '../../server/src/app.ts';
import { SELF_CALLER } from '../../server/src/kernel/index.ts';
import { modules } from '../src/index.ts';

/**
 * A server that begins to judge the past, and goes on in the background. Started as a process of its own, to be killed once there are
 * verdicts, or once some of them count as evidence.
 */
const { dataDir, postgresDsn, now, until } = JSON.parse(process.argv[2] as string) as {
  dataDir: string;
  postgresDsn?: string;
  now: number;
  until: 'judged' | 'counted';
};

const app = await openApp({
  ...{ dataDir, postgresDsn, postgresPool: 4, modules, clock: clockFrom(now), sweepSeconds: 3600 },
});
const { backfill_id } = await app.kernel.invoke('backfills.create', {}, SELF_CALLER);
const judged = async () => (await app.kernel.invoke('backfills.read', { backfill_id }, SELF_CALLER)).verdicts;
const counted = async () =>
  (await app.kernel.invoke('log.list', { types: ['verdicts_counted'] } as never, SELF_CALLER)).events.length;
const reached = until === 'judged' ? judged : counted;
while ((await reached()) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
console.log(until);

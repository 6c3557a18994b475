import { openApp } from '../../packages/server/src/app.ts';
import { SELF_CALLER } from '../../packages/server/src/kernel/index.ts';
import { clockFrom } from '../support/clock-from.ts';

/** A server that begins to consolidate and goes on in the background. Started as a process of its own, to be killed. */
const { dataDir, postgresDsn, now } = JSON.parse(process.argv[2] as string) as {
  dataDir: string;
  postgresDsn?: string;
  now: number;
};

const app = await openApp({ dataDir, postgresDsn, postgresPool: 4, clock: clockFrom(now), sweepSeconds: 3600 });
const caller = { ...SELF_CALLER, agent_id: 'agent/a' };
const { status } = await app.kernel.invoke('consolidation.run', {}, caller);
console.log(`began: ${status}`);

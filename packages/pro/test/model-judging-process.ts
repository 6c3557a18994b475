import { clockFrom } from '../../../tests/support/clock-from.ts';
import { openApp } from '../../server/src/app.ts';
import { SELF_CALLER } from '../../server/src/kernel/index.ts';
import type { Settings } from '../../server/src/kernel/settings.ts';
import { modules } from '../src/index.ts';

/** A server that seals traces which a model judges. Started as a process of its own, to be killed. */
const { dataDir, postgresDsn, now, settings, traces } = JSON.parse(process.argv[2] as string) as {
  dataDir: string;
  postgresDsn?: string;
  now: number;
  settings: Partial<Settings>;
  traces: number;
};

const app = await openApp({
  ...{ dataDir, postgresDsn, postgresPool: 4, modules, clock: clockFrom(now), sweepSeconds: 3600, settings },
});
for (let n = 0; n < traces; n++)
  await app.kernel.invoke('traces.create', { response_text: `answer ${n}` }, SELF_CALLER);
setInterval(() => {}, 1_000);

import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from '../../packages/server/src/app.ts';
import { type Consumer, SELF_CALLER } from '../../packages/server/src/kernel/index.ts';

/**
 * A server with a consumer that only a test wants: it notes in the log which events it handled, in the transaction that
 * moves its cursor. Started as a process of its own, to be killed.
 */
const { dataDir, postgresDsn, writes, name } = JSON.parse(process.argv[2] as string) as {
  dataDir: string;
  postgresDsn?: string;
  writes: number;
  name: string;
};

const consumer: Consumer = {
  name: 'test.mirror',
  starts_at: 'the beginning',
  event_types: ['write'],
  batch_size: 5,
  async handle({ work }, events) {
    await work(async (inner) => {
      for (const { seq } of events) {
        const place = { branch: 'main', entity_path: null, key: null, version: null };
        inner.emit({ event_type: 'handled', agent_id: name, visible_to: '', ...place, details: { seq } });
      }
      // Long enough to be killed in the middle.
      await sleep(Math.random() * 4);
    });
  },
};

const app = await openApp({
  dataDir,
  postgresDsn,
  postgresPool: 4,
  sweepSeconds: 2,
  claimTimes: { lease_ms: 1_500, grace_ms: 100 },
  modules: [{ name: 'test_mirror', migrations: [], handlers: {}, consumers: [consumer] }],
  onError: (error) => console.error(error),
});
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
console.log('ready');
for (let i = 0; i < writes; i++) {
  const input = { entity_path: 'from', key: `${name}-${i}`, value: i };
  await app.kernel.invoke('entries.write', input, { ...SELF_CALLER, agent_id: name });
  if (i % 10 === 9) await sleep(5);
}
console.log('written');
await new Promise((resolve) => setTimeout(resolve, 600_000));

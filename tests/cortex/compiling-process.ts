import { openApp } from '../../packages/server/src/app.ts';

/** A server that compiles digests, started as a process of its own, to be killed. */
const { dataDir, postgresDsn } = JSON.parse(process.argv[2] as string) as { dataDir: string; postgresDsn?: string };

const app = await openApp({
  dataDir,
  postgresDsn,
  postgresPool: 4,
  sweepSeconds: 1,
  claimTimes: { lease_ms: 1_500, grace_ms: 100 },
  settings: { embedder: 'off' },
  onError: (error) => console.error(error),
});
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
console.log(`ready ${app.kernel.services.server_id}`);
await new Promise((resolve) => setTimeout(resolve, 600_000));

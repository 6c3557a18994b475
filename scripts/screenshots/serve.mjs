// A server on a store of its own, whose clock moves only when the script moves it.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { modules } from '../../packages/pro/src/index.ts';
import { createClient } from '../../packages/sdk/src/browser.ts';
import { openApp } from '../../packages/server/src/app.ts';
import { createServer } from '../../packages/server/src/http/server.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const START = Date.parse('2026-11-17T16:04:00Z');
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export async function serveStore(folder) {
  const dashboard = join(folder, 'dashboard');
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), 'dashboard', '--out', dashboard]);
  const clock = movingClock(START);
  const app = await openApp({ modules, dataDir: join(folder, 'store'), clock, settings: { cortex: 'off' } });
  const server = await createServer({
    kernel: app.kernel,
    log: pino({ level: 'silent' }),
    apiKeys: [],
    corsOrigins: [],
    agentId: 'dashboard',
    maxBodyBytes: MAX_BODY_BYTES,
    dashboard,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    clock,
    client: createClient({ url }),
    close: async () => {
      await server.close();
      await app.close();
    },
  };
}

function movingClock(start) {
  let time = start;
  return {
    now: () => time,
    /** Never back. */
    moveTo: (ms) => {
      time = Math.max(time, ms);
    },
  };
}

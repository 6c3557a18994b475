import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { sqliteBeside } from '../scripts/bundled.mjs';
import { bench, data, dist, program, root } from './places.mjs';

const commonJs = `import { createRequire as $createRequire } from 'node:module';
const require = $createRequire(import.meta.url);`;

const sources = {
  send: 'floors/send.mjs',
  validate: 'floors/validate.mjs',
  insert: 'floors/insert.mjs',
  health: 'floors/health.mjs',
  broadcast: 'floors/broadcast.mjs',
  mcp: 'floors/mcp.mjs',
  engine: 'floors/engine.mjs',
  recordWrites: 'inside/record-writes.mjs',
  mcpInsert: 'floors/mcp-insert.mjs',
  fill: 'inside/fill.mjs',
  fillList: 'inside/fill-list.mjs',
  fillTraces: 'inside/fill-traces.mjs',
  fillEvents: 'inside/fill-events.mjs',
  fillDeliveries: 'inside/fill-deliveries.mjs',
  search: 'inside/search.mjs',
  searchPostgres: 'inside/search-postgres.mjs',
  recorded: 'inside/recorded.mjs',
  key: 'inside/key.mjs',
  holds: 'inside/holds.mjs',
  transforms: 'inside/transforms.mjs',
  backfill: 'inside/backfill.mjs',
  slackConnector: '../packages/server/src/connectors/slack/index.ts',
  githubConnector: '../packages/server/src/connectors/github/index.ts',
  postgres: '../tests/support/postgres-server.ts',
  browserProgram: '../tests/support/browser-program.ts',
};

/** Bundles the floors and the programs that use the service in process, in the same way as the service itself. */
export async function buildPrograms() {
  if (!existsSync(program)) throw new Error('the service is not built: run npm run build first');
  const outdir = join(data, `build-${process.pid}`);
  mkdirSync(outdir, { recursive: true });
  await build({
    absWorkingDir: root,
    outdir,
    entryPoints: Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, join(bench, path)])),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    external: ['pg-native'],
    // The driver that the service's threads load: two copies of SQLite in one process void each other's locks.
    plugins: [sqliteBeside],
    banner: { js: commonJs },
    logLevel: 'warning',
  });
  // Worker threads and other files that the service loads from beside its bundle.
  for (const name of readdirSync(dist)) {
    if (!/\.(js|map)$/.test(name)) cpSync(join(dist, name), join(outdir, name), { recursive: true });
  }
  return Object.fromEntries(Object.keys(sources).map((name) => [name, join(outdir, `${name}.mjs`)]));
}

// Measures the service against floors on this machine. See `npm run bench -- --help`.
import { measureAccounts } from './figures/accounts.mjs';
import { measureBranches } from './figures/branches.mjs';
import { measureDashboard } from './figures/dashboard.mjs';
import { measureEvents } from './figures/events.mjs';
import { measureFollowedPostgres, measureFollowedSqlite } from './figures/followed.mjs';
import { measureGet } from './figures/get.mjs';
import { measureHolds } from './figures/holds.mjs';
import { measureHosted, measureKey } from './figures/hosted.mjs';
import { measureBackfill, measureJudging } from './figures/judging.mjs';
import { measureMcp } from './figures/mcp.mjs';
import { measureMemory } from './figures/memory.mjs';
import { measureOutcome } from './figures/outcome.mjs';
import { measurePatterns } from './figures/patterns.mjs';
import { measurePeers } from './figures/peers.mjs';
import { measurePostEngine, measurePostPostgres, measurePostSqlite } from './figures/post.mjs';
import { measureRooms } from './figures/rooms.mjs';
import { measureRowSecurity } from './figures/row-security.mjs';
import { measureScale } from './figures/scale.mjs';
import { measureScoped } from './figures/scoped.mjs';
import { measureSearch } from './figures/search.mjs';
import { measureSearchPostgres } from './figures/search-postgres.mjs';
import { measureServers } from './figures/servers.mjs';
import { measureSession } from './figures/session.mjs';
import { measureStart } from './figures/start.mjs';
import { measureStream } from './figures/stream.mjs';
import { measureTraceSearch } from './figures/trace-search.mjs';
import { measureTraces } from './figures/traces.mjs';
import { measureDeliveries, measureTransforms, measureWebhooks } from './figures/webhooks.mjs';
import { measureWorkers } from './figures/workers.mjs';
import { openHarness } from './harness.mjs';
import { chooseGenerator } from './load/index.mjs';
import { machineFacts } from './machine.mjs';
import { readOptions, USAGE } from './options.mjs';
import { printReport, toLine, writeJson } from './report.mjs';
import { fillRates } from './stores.mjs';

const figures = {
  get: measureGet,
  post: measurePostSqlite,
  'post-engine': measurePostEngine,
  'post-postgres': measurePostPostgres,
  followed: measureFollowedSqlite,
  'followed-postgres': measureFollowedPostgres,
  search: measureSearch,
  'search-postgres': measureSearchPostgres,
  scale: measureScale,
  scoped: measureScoped,
  session: measureSession,
  outcome: measureOutcome,
  traces: measureTraces,
  'trace-search': measureTraceSearch,
  judging: measureJudging,
  backfill: measureBackfill,
  patterns: measurePatterns,
  rooms: measureRooms,
  events: measureEvents,
  branches: measureBranches,
  webhooks: measureWebhooks,
  deliveries: measureDeliveries,
  transforms: measureTransforms,
  holds: measureHolds,
  memory: measureMemory,
  start: measureStart,
  stream: measureStream,
  dashboard: measureDashboard,
  hosted: measureHosted,
  key: measureKey,
  mcp: measureMcp,
  'row-security': measureRowSecurity,
  accounts: measureAccounts,
  servers: measureServers,
  workers: measureWorkers,
  peers: measurePeers,
};

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const options = readOptions(args);
  const unknown = options.only?.find((name) => !(name in figures));
  if (options.help || unknown !== undefined) {
    if (unknown !== undefined) console.error(`there is no figure ${unknown}\n`);
    console.log(USAGE.replace('FIGURES', Object.keys(figures).join(', ')));
    return unknown === undefined ? 0 : 2;
  }
  const generator = chooseGenerator(options.generator);
  const harness = await openHarness(options, generator);
  const rows = [];
  const failures = [];
  try {
    for (const name of options.only ?? Object.keys(figures)) {
      process.stderr.write(`${name} …\n`);
      try {
        for await (const row of figures[name](harness)) {
          rows.push(row);
          process.stderr.write(`  ${toLine(row)}\n`);
        }
      } catch (error) {
        failures.push({ name, message: error.message });
      } finally {
        await harness.stopServers();
      }
    }
  } finally {
    await harness.close();
  }
  const report = { facts: machineFacts(generator), options, rows, fills: fillRates(), failures };
  printReport(report);
  if (options.quick)
    console.log('\nQuick sizes: these figures show that the bench works, not how fast the service is.');
  if (options.json) writeJson(options.json, report);
  return failures.length === 0 ? 0 : 1;
}

// Runs the service under load with the CPU profiler and prints the functions with the most self time.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { githubRequests, SECRETS, slackRequests } from './deliveries.mjs';
import { newRun, openHarness } from './harness.mjs';
import { chooseGenerator } from './load/index.mjs';
import { readOptions } from './options.mjs';
import { summarizeProfile } from './profile-summary.mjs';
import {
  commitOutcomes,
  listFolder,
  readEntry,
  readHistory,
  readInSession,
  searchRare,
  writeEntries,
} from './requests.mjs';

const loads = {
  get: () => readEntry,
  session: () => readInSession('agent/bench'),
  post: writeEntries,
  outcome: commitOutcomes,
  list: () => listFolder,
  history: () => readHistory,
  search: searchRare,
  slack: () => slackRequests(newRun()),
  github: () => githubRequests(newRun()),
};

const USAGE = `usage: node bench/profile.mjs ${Object.keys(loads).join('|')} [options]

  --entries N       in the store (default 20,000)
  --seconds N       of load (default 5)
  --connections N   (default 64)
  --zipf            some entries are asked for much more often than others
  --per-session N   requests in one session (default 20)
  --top N           functions to print (default 25)
  --postgres        on PostgreSQL
  --save FOLDER     keep the .cpuprofile files there, to be opened in a browser's developer tools
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    zipf: { type: 'boolean', default: false },
    'per-session': { type: 'string', default: '20' },
    top: { type: 'string', default: '25' },
    postgres: { type: 'boolean', default: false },
    save: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const [name] = positionals;

/** The clock that the profiler of another process also uses. */
const monotonicUs = () => Number(process.hrtime.bigint() / 1000n);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

if (name in loads) await profile();
else {
  console.log(USAGE);
  process.exitCode = 2;
}

async function profile() {
  const entries = Number(values.entries);
  const options = readOptions(values.keep ? ['--keep'] : []);
  const harness = await openHarness(options, chooseGenerator());
  const folder = values.save ?? join(harness.folder, 'profiles');
  if (!values.save) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const before = new Set(readdirSync(folder));
  try {
    const store = await (values.postgres ? harness.postgresStore(entries) : harness.sqlite(entries));
    const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
    const service = await harness.service(store, { nodeArgs, env: SECRETS });
    const plan = {
      connections: Number(values.connections),
      count: entries,
      zipf: values.zipf,
      perSession: Number(values['per-session']),
    };
    const load = (seconds) => harness.load(service, { ...plan, requests: loads[name](entries), seconds });
    // Warm-up: a cold service is not representative.
    await load(2);
    const from = monotonicUs();
    const result = await load(Number(values.seconds));
    const to = monotonicUs();
    await harness.stopServers();
    console.log(
      `${name}: ${Math.round(result.requests_per_s)} requests/s under the profiler, p50 ${result.p50_ms.toFixed(2)} ms, ${result.non2xx} not 2xx\n`,
    );
    const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile') && !before.has(file));
    for (const file of files.sort()) {
      const recorded = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      console.log(summarizeProfile(recorded, { top: Number(values.top), requests: result.requests, from, to }));
    }
  } finally {
    await harness.close();
  }
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pinned } from '../machine.mjs';
import { bench } from '../places.mjs';
import { run } from '../processes.mjs';

const MOST_MS = 50;
const INTERNAL_KEY = 'bench-internal-key-0123456789';
const UNBOUNDED = JSON.stringify({ bench: { ops_per_month: null } });

/** The longest turn of the event loop while the largest and most costly requests of every operation are answered. */
export async function* measureHolds(harness) {
  const socket = join(harness.folder, 'probe');
  const probe = pathToFileURL(join(bench, 'inside/hold-probe.mjs'));
  probe.searchParams.set('socket', socket);
  const env = { MEM_MODE: 'hosted', MEM_API_KEYS: '', MEM_INTERNAL_KEY: INTERNAL_KEY, MEM_PLANS: UNBOUNDED };
  const { url } = await harness.service(harness.emptyPlace('holds'), { nodeArgs: ['--import', probe.href], env });
  const { repeats, operation } = harness.options;
  const options = { url, socket, internal: INTERNAL_KEY, repeats: Math.min(repeats, 5), only: operation };
  const [command, args] = pinned('load', process.execPath, [harness.programs.holds, JSON.stringify(options)]);
  const { stdout } = await run(command, args, { showErrors: true });
  const measured = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const byName = Map.groupBy ? Map.groupBy(measured, ({ name }) => name) : groupBy(measured);
  for (const [name, cases] of byName) yield toRow(name, cases);
}

function groupBy(measured) {
  const groups = new Map();
  for (const one of measured) groups.set(one.name, [...(groups.get(one.name) ?? []), one]);
  return groups;
}

function toRow(name, cases) {
  const worst = cases.reduce((a, b) => (b.cpu > a.cpu ? b : a));
  const { what, sent, status, wall, cpu } = worst;
  const note = `${what}; ${sent} bytes sent, answered ${status}; ${wall.toFixed(0)} ms on the clock`;
  return { figure: `longest hold, ${name}`, unit: 'ms', ours: cpu, limit: MOST_MS, note };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { residentMemory } from '../processes.mjs';
import { readEntry } from '../requests.mjs';

const SCAN = { method: 'POST', path: '/api/v1/admin/patterns/scan', body: '{}' };
const LIMIT_MB = 100;
/** A scan is well under way after this time. */
const BEGUN_MS = 300;

const scanOf = async (service, path) => JSON.parse(await ask(service, { path: `/api/v1/admin/pattern-scans/${path}` }));

async function startScan(service) {
  const { scan_id } = JSON.parse(await ask(service, SCAN));
  return scan_id;
}

async function cancelScan(service, scan_id) {
  const path = `/api/v1/admin/pattern-scans/${scan_id}/cancel`;
  const { scanned_entries } = JSON.parse(await ask(service, { method: 'POST', path, body: '{}' }));
  return scanned_entries;
}

/** Reads of entries while a scan for patterns goes on, against the same without; and what a whole scan takes in memory. */
export async function* measurePatterns(harness) {
  const { medium, repeats, seconds } = harness.options;
  const service = await harness.service(harness.copyOf(await harness.sqlite(medium), 'patterns'));
  const read = async (length) => {
    const plan = { requests: readEntry, count: medium, seconds: length };
    const { requests_per_s: value, non2xx } = await harness.load(service, plan);
    return { value, non2xx };
  };
  await read(WARM_UP_SECONDS);
  const looked = [];
  const result = await compare(
    repeats,
    () => read(seconds),
    async () => {
      const scan_id = await startScan(service);
      await sleep(BEGUN_MS);
      const measured = await read(seconds);
      looked.push(await cancelScan(service, scan_id));
      return measured;
    },
  );
  const size = `${medium.toLocaleString('en-US')} entries`;
  yield {
    figure: `GET entry while a scan for patterns goes on, against none, ${size}, 64 connections, SQLite`,
    unit: 'req/s',
    target: { least: 0.8 },
    ...result,
    note: `entries that a scan looked at meanwhile: ${Math.min(...looked)} to ${Math.max(...looked)}`,
  };
  yield await measureScan(service, size);
}

/** A whole scan without load. Memory is counted above what the service had before. */
async function measureScan(service, size) {
  const before = residentMemory(service.pid).own;
  const started = performance.now();
  const scan_id = await startScan(service);
  let most = before;
  let scan;
  do {
    await sleep(100);
    most = Math.max(most, residentMemory(service.pid).own);
    scan = await scanOf(service, scan_id);
  } while (scan.status === 'running');
  const took = (performance.now() - started) / 1000;
  return {
    figure: `memory that a scan for patterns takes at most, ${size}`,
    unit: 'MB',
    ours: most - before,
    limit: LIMIT_MB,
    note: `${scan.status} after ${took.toFixed(0)} s, ${scan.scanned_entries} entries and ${scan.scanned_outcomes} outcomes looked at, ${scan.patterns_found} patterns`,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { residentMemory } from '../processes.mjs';
import { mixed } from '../requests.mjs';

const LIMIT_MB = 250;

function toRow(figure, measured, non2xx = 0) {
  const of = (name) => median(measured.map((memory) => memory[name]));
  const note = `${of('own').toFixed(0)} MB of its own, ${of('files').toFixed(0)} MB of mapped files, which the system takes back when it needs them`;
  return { figure, unit: 'MB', ours: of('all'), limit: LIMIT_MB, non2xx, note };
}

/** Resident memory of a new server on the large store, at rest and after load. */
export async function* measureMemory(harness) {
  const { large, longRepeats: repeats, idleSeconds, mixedSeconds } = harness.options;
  const store = await harness.sqlite(large);
  const size = `${large.toLocaleString('en-US')} entries`;
  const rest = [];
  let service;
  for (let i = 0; i < repeats; i++) {
    await harness.stopServers();
    service = await harness.service(store);
    await ask(service, { path: '/api/v1/entries/bench/p0/k0' });
    await sleep(idleSeconds * 1000);
    rest.push(residentMemory(service.pid));
  }
  yield toRow(`memory at rest, ${size}`, rest);
  const plan = { requests: mixed(large), connections: 32, count: large, seconds: mixedSeconds };
  const { non2xx, requests_per_s } = await harness.load(service, plan);
  const busy = toRow(`memory after ${mixedSeconds} s of mixed load, ${size}`, [residentMemory(service.pid)], non2xx);
  yield { ...busy, note: `${busy.note}; ${Math.round(requests_per_s)} requests a second` };
}

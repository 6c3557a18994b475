import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

export const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The cores this process may use. */
function allowedCores() {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    return list.split(',').flatMap((range) => {
      const [from, to = from] = range.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  } catch {
    return cpus().map((_, i) => i);
  }
}

export const cores = allowedCores();
const pinning = cores.length > 1 && has('taskset');

/**
 * The server has its own core and the load generator another; a second server gets a third, if there is one. A server of
 * several processes or threads has all but the generator's, or all where there are two.
 */
export const CORES = {
  server: cores[0],
  load: cores[1],
  second: cores[2] ?? cores[0],
  several: [cores[0], ...(cores.length > 2 ? cores.slice(2) : cores.slice(1))].join(','),
};

/** The command line that runs a program on one of the cores, if `taskset` is available. */
export function pinned(role, command, args) {
  return pinning ? ['taskset', ['-c', String(CORES[role]), command, ...args]] : [command, args];
}

/** The load of the machine when the bench began. */
const loadBefore = loadavg()[0].toFixed(1);

export function machineFacts(generator) {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    generator,
    pinned: pinning ? `server on core ${CORES.server}, load on core ${CORES.load}` : 'no (one core, or no taskset)',
    load_before: loadBefore,
    at: new Date().toISOString(),
  };
}

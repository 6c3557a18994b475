import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../support/postgres-server.ts';

/** The server and all its children, which are in process groups of their own. */
function processesOf({ dataDir }: PostgresServer): number[] {
  const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

function signal(server: PostgresServer, name: NodeJS.Signals): void {
  for (const pid of processesOf(server)) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The machine is up and connections stay open, but nothing answers. */
export const freeze = (server: PostgresServer): void => signal(server, 'SIGSTOP');
export const thaw = (server: PostgresServer): void => signal(server, 'SIGCONT');

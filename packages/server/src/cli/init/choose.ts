import { resolve } from 'node:path';
import { locateMemory, locationReason, type MemoryLocation, ownStore, projectStore } from '@mem-service/mcp/location';
import { askLine } from '../ask.ts';
import { UsageError } from '../failure.ts';
import { clean } from '../render/index.ts';
import type { Terminal } from '../terminal.ts';
import { type Machine, shortPath } from './machine.ts';

type ChooseOptions = {
  machine: Machine;
  terminal: Terminal;
  /** As given by --store. */
  store: string | undefined;
  /** Whether the user may be asked. */
  ask: boolean;
  /** Whether clients are set up already, so that an empty answer changes nothing. */
  isAgain: boolean;
};

/**
 * The memory that clients are set up for: as given, else as a variable says, else as the user answers. Undefined if
 * nothing was said.
 */
export async function chooseMemory(options: ChooseOptions): Promise<MemoryLocation | undefined> {
  const chosen = await chosenMemory(options);
  if (chosen?.refusal !== undefined) throw new UsageError(`the memory cannot be used: ${chosen.refusal}`);
  return chosen;
}

async function chosenMemory(options: ChooseOptions): Promise<MemoryLocation | undefined> {
  const { machine, terminal, store, ask, isAgain } = options;
  const { env, folder } = machine;
  if (store !== undefined) return memoryNamed(store, machine);
  const current = locateMemory(env, folder);
  const isGiven = current.by !== 'found' && current.by !== 'own';
  if (isGiven) return current;
  if (!ask || !terminal.stdin.isTTY) return undefined;
  const project = current.by === 'found' ? current : projectStore(folder);
  const usual = isAgain ? 'as it is' : current.by === 'found' ? '2' : '1';
  terminal.out(`Where should the clients keep memory?
  1  ${clean(shortPath(machine, ownStore(env)))}  your own store: one memory for all your projects
  2  ${clean(shortPath(machine, project.at))}  the store of this project, kept out of git
  or the address of a server, such as http://localhost:8080 (start it with: mem serve --local)
`);
  const answer = await askLine(terminal, `1, 2 or an address [${usual}] `);
  if (answer === undefined) throw new UsageError('nothing was chosen, and nothing was written');
  if (isAgain && answer === '') return undefined;
  const chosen = answer || usual;
  if (chosen === '2') return project;
  return memoryNamed(chosen === '1' ? 'own' : chosen, machine);
}

export const ownMemory = ({ env }: Machine): MemoryLocation => ({ kind: 'folder', at: ownStore(env), by: 'own' });

function memoryNamed(name: string, machine: Machine): MemoryLocation {
  if (name === 'own') return ownMemory(machine);
  if (name === 'project') return projectStore(machine.folder);
  if (/^https?:\/\//.test(name) && URL.canParse(name)) return { kind: 'server', at: name, by: 'MEM_HTTP_URL' };
  // No folder: it would be made under this name, and the server would stay empty.
  if (/^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}(\/.*)?$/i.test(name))
    throw new UsageError(`--store: ${name} has no scheme: write http://${name}`);
  if (/^[\w+.-]+:\/\//.test(name))
    throw new UsageError('--store: give own, project, a folder or the http address of a server');
  return { kind: 'folder', at: resolve(machine.folder, name), by: 'MEM_DATA_DIR' };
}

/** In one line: where the memory of the clients is, and why. */
export function chosenMemoryText({ at, by }: MemoryLocation, machine: Machine): string {
  const why = {
    MEM_HTTP_URL: 'a server',
    MEM_POSTGRES_DSN: locationReason({ by }),
    MEM_DATA_DIR: 'a folder of its own',
    found: 'the store of this project',
    own: 'your own store',
    served: 'the folder of a server',
  }[by];
  return `memory is at ${clean(shortPath(machine, at))} (${why})`;
}

import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { MemoryLocation } from '@mem-service/mcp/location';
import { hookCommands } from '../init/claude-hooks.ts';
import { clients, type InstallScope, type McpClient, scopesOf } from '../init/clients.ts';
import {
  type ConfiguredEntry,
  isSameMemory,
  memoryOfEntry,
  memoryOfHooks,
  readEntry,
  wordsOf,
} from '../init/configured.ts';
import { readText } from '../init/files.ts';
import { isOnPath, type Machine, shortPath } from '../init/machine.ts';
import { shownEntry } from '../init/server-entry.ts';
import { type Check, failure, ok, warning } from './check.ts';

const AGAIN = 'run mem init again';

/** The machine, and the memory of commands in this folder. */
export type CheckedMachine = { machine: Machine; memory: MemoryLocation };

/** Checks the server entry of each client, for the user and for the project in this folder. */
export function checkClients(checked: CheckedMachine): Check[] {
  const checks = scopesOf(checked.machine).flatMap((scope) =>
    clients.flatMap((client) => checkClient(client, checked, scope)),
  );
  return checks.length > 0 ? checks : [warning('clients', 'none is set up', 'mem init')];
}

function checkClient(client: McpClient, checked: CheckedMachine, scope: InstallScope): Check[] {
  const { machine } = checked;
  const { config, hooks } = client.files(machine, scope);
  if (config === undefined) return [];
  const name = scope === 'user' ? client.name : `${client.name} (project)`;
  try {
    const text = readText(config) ?? '';
    if (shownEntry(client, text) === undefined) return [];
    const entry = readEntry(client, text);
    const problem = problemOfEntry(entry, machine) ?? checkMemory(memoryOfEntry(entry, machine), checked);
    const server =
      problem ??
      ok(name, `${shortPath(machine, config)} starts ${entry.url ?? [entry.command, ...entry.args].join(' ')}`);
    return [{ ...server, name }, ...checkHooks(hooks, checked, name)];
  } catch (error) {
    return [
      failure(
        name,
        `${shortPath(machine, config)}: ${(error as Error).message}`,
        'correct the file: the client cannot read it',
      ),
    ];
  }
}

/** Memory is divided where a client uses another place than the commands in this folder. */
function checkMemory(used: MemoryLocation, { memory, machine }: CheckedMachine): Check | undefined {
  if (isSameMemory(used, memory)) return undefined;
  const [theirs, here] = [used.at, memory.at].map((at) => shortPath(machine, at));
  const variable = { server: 'MEM_HTTP_URL', postgres: 'MEM_POSTGRES_DSN', folder: 'MEM_DATA_DIR' }[used.kind];
  return warning(
    '',
    `its memory is at ${theirs}, and commands in this folder use ${here}`,
    `export ${variable}=${used.kind === 'postgres' ? '…' : used.at} makes commands use that; ${otherRemedy(memory)}`,
  );
}

/** How to bring clients to the memory of commands: for a store of a project by the settings of that project. */
function otherRemedy({ kind, at, by }: MemoryLocation): string {
  if (by === 'found') return `or, in ${dirname(at)}: mem init --project --store project`;
  return kind === 'postgres'
    ? 'or mem init, with MEM_POSTGRES_DSN set'
    : `or mem init --store ${by === 'own' ? 'own' : at}`;
}

function problemOfEntry({ command, args, url, text }: ConfiguredEntry, machine: Machine): Check | undefined {
  const { env } = machine;
  if (url !== undefined) {
    if (!URL.canParse(url)) return failure('', `${JSON.stringify(url)} is no address`, AGAIN);
    return text.includes('MEM_API_KEY') && !env.MEM_API_KEY
      ? warning(
          '',
          `${url} is asked with the key in MEM_API_KEY, which is not set here`,
          'set it where the client is started',
        )
      : undefined;
  }
  if (command === undefined) return failure('', 'it has neither a command nor an address', AGAIN);
  const isThere = isAbsolute(command) ? existsSync(command) : isOnPath(machine, command);
  if (!isThere) return failure('', `${command} is not there`, AGAIN);
  const missing = args.find((arg) => isAbsolute(arg) && /\.[cm]?js$/.test(arg) && !existsSync(arg));
  return missing === undefined ? undefined : failure('', `${missing} is not there`, AGAIN);
}

function checkHooks(file: string | undefined, checked: CheckedMachine, client: string): Check[] {
  const { machine } = checked;
  const text = file === undefined ? undefined : readText(file);
  if (file === undefined || text === undefined) return [];
  const name = `${client} hooks`;
  const missing = hookCommands(text)
    .flatMap(wordsOf)
    .find((word) => isAbsolute(word) && /\.js$/.test(word) && !existsSync(word));
  if (missing !== undefined) return [failure(name, `${shortPath(machine, file)}: ${missing} is not there`, AGAIN)];
  const used = memoryOfHooks(text, machine);
  const divided = used && checkMemory(used, checked);
  return divided ? [{ ...divided, name }] : [];
}

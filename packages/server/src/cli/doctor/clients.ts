import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { hookCommands } from '../init/claude-hooks.ts';
import { clients, type InstallScope, type McpClient, scopesOf } from '../init/clients.ts';
import { readText } from '../init/files.ts';
import { valueAt } from '../init/jsonc.ts';
import { isOnPath, type Machine, shortPath } from '../init/machine.ts';
import { pathOf, shownEntry } from '../init/server-entry.ts';
import { tomlTable } from '../init/toml-edit.ts';
import { type Check, failure, ok, warning } from './check.ts';

const AGAIN = 'run mem init again';

/** Checks the server entry of each client, for the user and for the project in this folder. */
export function checkClients(machine: Machine): Check[] {
  const checks = scopesOf(machine).flatMap((scope) => clients.flatMap((client) => checkClient(client, machine, scope)));
  return checks.length > 0 ? checks : [warning('clients', 'none is set up', 'mem init')];
}

function checkClient(client: McpClient, machine: Machine, scope: InstallScope): Check[] {
  const { config, hooks } = client.files(machine, scope);
  if (config === undefined) return [];
  const name = scope === 'user' ? client.name : `${client.name} (project)`;
  try {
    const text = readText(config) ?? '';
    if (shownEntry(client, text) === undefined) return [];
    const entry = readEntry(client, text);
    const problem = problemOfEntry(entry, machine);
    const server =
      problem ??
      ok(name, `${shortPath(machine, config)} starts ${entry.url ?? [entry.command, ...entry.args].join(' ')}`);
    return [{ ...server, name }, ...checkHooks(hooks, machine, name)];
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

type ParsedServerEntry = {
  command: string | undefined;
  args: readonly string[];
  url: string | undefined;
  text: string;
};

function readEntry(client: McpClient, text: string): ParsedServerEntry {
  const problem = client.format.kind === 'json' ? readJsonEntry(client, text) : readTomlEntry(client, text);
  const [command, url] = [problem.command, problem.url ?? problem.httpUrl ?? problem.serverUrl].map((found) =>
    typeof found === 'string' ? found : undefined,
  );
  const args = Array.isArray(problem.args) ? problem.args.map(String) : [];
  return { command, args, url, text: JSON.stringify(problem) };
}

const readJsonEntry = (client: McpClient, text: string) =>
  (valueAt(text, pathOf(client)) ?? {}) as Record<string, unknown>;

/** Strings and lists of strings are written in TOML as in JSON. */
function readTomlEntry(client: McpClient, text: string): Record<string, unknown> {
  const read = (raw: string): unknown => {
    try {
      return JSON.parse(raw);
    } catch {
      return raw.replace(/^'(.*)'$/, '$1');
    }
  };
  return Object.fromEntries([...(tomlTable(text, pathOf(client)) ?? [])].map(([name, raw]) => [name, read(raw)]));
}

function problemOfEntry({ command, args, url, text }: ParsedServerEntry, machine: Machine): Check | undefined {
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

function checkHooks(file: string | undefined, machine: Machine, name: string): Check[] {
  const text = file === undefined ? undefined : readText(file);
  if (file === undefined || text === undefined) return [];
  const missing = hookCommands(text)
    .flatMap((command) => command.match(/"[^"]+"|\S+/g) ?? [])
    .map((word) => word.replaceAll('"', ''))
    .find((word) => isAbsolute(word) && /\.js$/.test(word) && !existsSync(word));
  return missing === undefined
    ? []
    : [failure(`${name} hooks`, `${shortPath(machine, file)}: ${missing} is not there`, AGAIN)];
}

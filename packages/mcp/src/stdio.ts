import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, operations } from '@mem-service/contract';
import { serveClient } from './connection.ts';
import { createIdentity } from './identity.ts';
import { describeLocation } from './location.ts';
import { openService } from './service.ts';
import type { McpSession } from './session.ts';
import { type McpEnvironment, type McpSettings, readSettings, SettingsError, toolsetOf } from './settings.ts';
import type { Tool } from './tool.ts';
import { listingSize, toolsOf } from './toolsets.ts';

const LAST_ANSWERS_MS = 10_000;

const HELP = `Usage: mem-mcp [--toolset NAMES] [--list]

Serves memory to an MCP client over standard input and output.

  --toolset NAMES  core (default), slim, data, tracing, evaluation, branching, rooms, all, or names of tools, separated
                   by commas. Also MEM_TOOLSET.
  --list           Print the tools of the set and the size of their listing.

Memory is the server at MEM_HTTP_URL (with the key in MEM_API_KEY), else the database MEM_POSTGRES_DSN, else the folder
MEM_DATA_DIR, else .amfs in this folder or a parent of it, else your own store in ~/.mem/store: the same for every
command. The first line on standard error says which, and why.
MEM_BRANCH: the branch where a call names none. MEM_AGENT_ID: the agent where no other name was set.
`;

/** A store of this machine without optional modules has no use for their tools; a server elsewhere may have them. */
function canWork({ operation, toolset }: Tool, { env, location }: McpSettings): boolean {
  if (location.kind === 'server' || env.MEM_PRO !== 'off') return true;
  if (operation === undefined) return toolset !== 'rooms';
  const { errors = [] }: Operation = operations[operation];
  return !errors.includes('module_not_installed');
}

/** Runs the command and returns its exit code. */
export async function runMcp(args: readonly string[], env?: McpEnvironment): Promise<number> {
  try {
    return await run(args, env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`mem-mcp: ${error.message}\n`);
    return 2;
  }
}

async function run(args: readonly string[], env?: McpEnvironment): Promise<number> {
  const { flags, toolset } = readArgs(args);
  if (flags.has('--help') || flags.has('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  const settings = readSettings(env);
  const evaluates = settings.location.kind === 'server';
  const tools = toolsOf(toolset ?? settings.toolset, { evaluates }).filter((tool) => canWork(tool, settings));
  if (flags.has('--list')) {
    const lines = tools.map((tool) => `${tool.name.padEnd(28)}${tool.listed().description}`);
    process.stdout.write(`${lines.join('\n')}\n\n${tools.length} tools, ${listingSize(tools)} bytes\n`);
    return 0;
  }
  const service = openService(settings);
  const session: McpSession = {
    service,
    identity: createIdentity(settings),
    branch: settings.branch,
    folder: settings.home,
  };
  // Standard output carries the protocol.
  const say = (line: string) => process.stderr.write(`mem-mcp: ${line}\n`);
  for (const warning of settings.warnings) say(`warning: ${warning}`);
  say(`memory is at ${describeLocation(service.location)}`);
  const onError = (error: unknown) => say((error as Error).stack ?? String(error));
  const ended = end();
  const connection = serveClient(session, { tools, onError });
  // A client that has closed its input still waits for answers.
  if ((await ended) === 'input closed') await waitAtMost(LAST_ANSWERS_MS, connection.answered());
  await connection.close();
  await service.close();
  return 0;
}

function readArgs(args: readonly string[]): { flags: ReadonlySet<string>; toolset?: readonly string[] } {
  const at = args.indexOf('--toolset');
  const flags = new Set(at < 0 ? args : args.filter((_, i) => i !== at && i !== at + 1));
  const unknown = [...flags].find((flag) => !['--list', '--help', '-h'].includes(flag));
  if (unknown !== undefined) throw new SettingsError(`does not take ${JSON.stringify(unknown)}; see mem-mcp --help`);
  if (at < 0) return { flags };
  const names = args[at + 1];
  if (names === undefined) throw new SettingsError('--toolset needs names');
  return { flags, toolset: toolsetOf(names) };
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

/** Resolves when the client closes its input or the process is asked to stop. */
function end(): Promise<'input closed' | 'stopped'> {
  return new Promise((resolve) => {
    const ended = () => resolve('input closed');
    const stopped = () => resolve('stopped');
    process.stdin.once('end', ended).once('close', ended);
    process.once('SIGINT', stopped).once('SIGTERM', stopped);
  });
}

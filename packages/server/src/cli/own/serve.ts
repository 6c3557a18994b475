import { locateLocalMemory } from '@mem-service/mcp/location';
import { isLoopback, localOnly } from '../../admitted.ts';
import type { Config } from '../../config.ts';
import { type ExitCode, UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { rows } from '../help-text.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import type { CliParts } from '../parts.ts';
import { ownCommand } from './command.ts';

const about = `It stays until it is told to stop (SIGINT, SIGTERM). With --workers it replaces its processes one by one on SIGHUP. Without keys, every machine that can reach this one, and every
web page that a browser here opens, can read and write. With --local it listens on 127.0.0.1, and refuses pages of
other origins and host names that are not of this machine, for every route, the stream and /mcp; MEM_CORS_ORIGINS may
name origins that are admitted nevertheless. Memory is in .amfs of the current folder, unless a variable says otherwise;
with --local it is the memory that commands in this folder use (mem status shows it):

${rows([
  ['MEM_HTTP_HOST', 'address to listen on (0.0.0.0), where --host is not given'],
  ['MEM_HTTP_PORT', 'port to listen on (8080), where --port is not given'],
  ['MEM_WORKERS', 'how many processes serve the address (1), where --workers is not given'],
  ['MEM_API_KEYS', 'accepted keys, separated by commas (none: no key is required)'],
  ['MEM_DATA_DIR', 'folder of the SQLite database (.amfs)'],
  ['MEM_POSTGRES_DSN', 'use this PostgreSQL database instead'],
  ['MEM_LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent (info)'],
  ['MEM_LOG_REQUESTS', 'on: a line in the log for every request (off)'],
])}`;

export const serve = ownCommand({
  word: 'serve',
  summary: 'Start the service',
  about,
  flags: [
    toggle('local', 'Only for programs of this machine.'),
    field('port', 'The port to listen on; 0 takes a free one.', { kind: 'number' }),
    field('host', 'The address to listen on.'),
    field('workers', 'How many processes serve the address, such as one for each core.', { kind: 'number' }),
  ],
  examples: [
    ['mem serve --local', 'for you alone'],
    ['mem serve --local --port 8090', 'the same on another port'],
    ['MEM_API_KEYS=a-long-random-secret MEM_POSTGRES_DSN=postgres://mem@db/mem mem serve', 'with keys, on PostgreSQL'],
  ],
  async run(given, parts) {
    const config = parts.readConfig({ ...parts.readEnvironment(), ...listenFlags(given) });
    return (await parts.serve(isOn(given, 'local') ? forThisUser(config, parts) : config)) as ExitCode;
  },
});

/** Serves the memory that the commands and clients of this user have, instead of beginning another. */
function forThisUser(config: Config, { readEnvironment, readProcessStart }: CliParts): Config {
  const served = locateLocalMemory(readEnvironment(), readProcessStart().folder);
  const dataDir = served.by === 'found' || served.by === 'own' ? served.at : config.dataDir;
  return { ...localOnly(config), served, dataDir };
}

/** Flags win over the variables that they are short for. */
function listenFlags(given: ParsedFlags): Record<string, string> {
  const [port, host, workers] = ['port', 'host', 'workers'].map((flag) => given.get(flag)?.[0]);
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new UsageError(`--port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`);
  if (workers !== undefined && !(/^\d{1,2}$/.test(workers) && Number(workers) >= 1 && Number(workers) <= 64))
    throw new UsageError(`--workers must be a whole number from 1 to 64, not ${JSON.stringify(workers)}`);
  if (isOn(given, 'local') && host !== undefined && !isLoopback(host))
    throw new UsageError(`--local listens on 127.0.0.1: leave out --host ${host}`);
  return {
    ...(port === undefined ? {} : { MEM_HTTP_PORT: port }),
    ...(host ? { MEM_HTTP_HOST: host } : {}),
    ...(workers === undefined ? {} : { MEM_WORKERS: workers }),
  };
}

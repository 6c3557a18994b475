import { type ExitCode, UsageError } from '../failure.ts';
import { field } from '../fields.ts';
import { rows } from '../help-text.ts';
import type { ParsedFlags } from '../parse.ts';
import { ownCommand } from './command.ts';

const about = `It stays until it is told to stop (SIGINT, SIGTERM). Variables set up the rest:

${rows([
  ['MEM_HTTP_HOST', 'address to listen on (0.0.0.0), where --host is not given'],
  ['MEM_HTTP_PORT', 'port to listen on (8080), where --port is not given'],
  ['MEM_API_KEYS', 'accepted keys, separated by commas (none: no key is required)'],
  ['MEM_DATA_DIR', 'folder of the SQLite database (.amfs)'],
  ['MEM_POSTGRES_DSN', 'use this PostgreSQL database instead'],
  ['MEM_LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent (info)'],
])}`;

export const serve = ownCommand({
  word: 'serve',
  summary: 'Start the service',
  about,
  flags: [
    field('port', 'The port to listen on; 0 takes a free one.', { kind: 'number' }),
    field('host', 'The address to listen on.'),
  ],
  examples: [
    ['mem serve --host 127.0.0.1 --port 8090', 'only on this machine, on another port'],
    ['MEM_API_KEYS=a-long-random-secret MEM_POSTGRES_DSN=postgres://mem@db/mem mem serve', 'with keys, on PostgreSQL'],
  ],
  async run(given, parts) {
    const config = parts.readConfig({ ...parts.readEnvironment(), ...listenFlags(given) });
    return (await parts.serve(config)) as ExitCode;
  },
});

/** Flags win over the variables that they are short for. */
function listenFlags(given: ParsedFlags): Record<string, string> {
  const [port, host] = ['port', 'host'].map((flag) => given.get(flag)?.[0]);
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new UsageError(`--port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`);
  return { ...(port === undefined ? {} : { MEM_HTTP_PORT: port }), ...(host ? { MEM_HTTP_HOST: host } : {}) };
}

import { localOnly } from '../../admitted.ts';
import type { ExitCode } from '../failure.ts';
import { toggle } from '../fields.ts';
import { rows } from '../help-text.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

const about = `It stays until it is told to stop (SIGINT, SIGTERM). Without keys, every machine that can reach this one, and every
web page that a browser here opens, can read and write. With --local it listens on 127.0.0.1, and refuses pages of
other origins and host names that are not of this machine, for every route, the stream and /mcp; MEM_CORS_ORIGINS may
name origins that are admitted nevertheless. Memory is in .amfs of the current folder, unless a variable says otherwise:

${rows([
  ['MEM_HTTP_HOST', 'address to listen on (0.0.0.0)'],
  ['MEM_HTTP_PORT', 'port to listen on (8080); 0 takes a free one'],
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
  flags: [toggle('local', 'Only for programs of this machine.')],
  examples: [
    ['mem serve --local', 'for you alone'],
    ['MEM_API_KEYS=a-long-random-secret MEM_POSTGRES_DSN=postgres://mem@db/mem mem serve', 'with keys, on PostgreSQL'],
  ],
  async run(given, parts) {
    const config = parts.readConfig();
    return (await parts.serve(isOn(given, 'local') ? localOnly(config) : config)) as ExitCode;
  },
});

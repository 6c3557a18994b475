import { UsageError } from '../failure.ts';
import { toggle } from '../fields.ts';
import { exampleLines, rows } from '../help-text.ts';
import type { OwnCommand } from './command.ts';

const help = `Usage: mem serve

Starts the service and stays until it is told to stop (SIGINT, SIGTERM). It is set up by variables alone:

${rows([
  ['MEM_HTTP_HOST', 'address to listen on (0.0.0.0)'],
  ['MEM_HTTP_PORT', 'port to listen on (8080); 0 takes a free one'],
  ['MEM_API_KEYS', 'accepted keys, separated by commas (none: no key is required)'],
  ['MEM_DATA_DIR', 'folder of the SQLite database (.amfs)'],
  ['MEM_POSTGRES_DSN', 'use this PostgreSQL database instead'],
  ['MEM_LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent (info)'],
])}

${exampleLines([
  ['only on this machine', 'MEM_HTTP_HOST=127.0.0.1 mem serve'],
  ['with keys, on PostgreSQL', 'MEM_API_KEYS=a-long-random-secret MEM_POSTGRES_DSN=postgres://mem@db/mem mem serve'],
])}
`;

export const serve: OwnCommand = {
  word: 'serve',
  summary: 'Start the service',
  args: [],
  fields: [toggle('help', 'Print this help.')],
  help,
  async run(args, { serve, readConfig, terminal }) {
    const [word] = args;
    if (word === '--help' || word === '-h') {
      terminal.out(help);
      return 0;
    }
    if (word !== undefined) throw new UsageError(`serve does not take ${JSON.stringify(word)}`);
    return serve(readConfig());
  },
};

import { field, toggle } from '../fields.ts';
import { exampleLines } from '../help-text.ts';
import type { OwnCommand } from './command.ts';

/** The MCP package parses the flags itself, because it is also a separate program. */
export const mcp: OwnCommand = {
  word: 'mcp',
  summary: 'Serve an MCP client over standard input and output',
  args: [],
  fields: [
    field('toolset', 'The toolsets to offer.', { kind: 'list' }),
    toggle('list', 'Print the tools and the size of their listing.'),
  ],
  help: `Usage: mem mcp [--toolset NAMES] [--list]

Serves memory to an MCP client over standard input and output, as mem-mcp does. mem init writes this line into the
settings of clients. mem mcp --help tells about sets of tools and variables.

${exampleLines([
  ['the tools, and the bytes that they take of a context', 'mem mcp --list --toolset all'],
  ['only two tools', 'mem mcp --toolset mem_read,mem_search'],
])}
`,
  run: (args, { mcp }) => mcp(args),
};

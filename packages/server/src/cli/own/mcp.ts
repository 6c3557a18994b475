import { field } from '../fields.ts';
import type { OwnCommand } from './command.ts';

/** The flags are read by the MCP package itself, which is also a program of its own. */
export const mcp: OwnCommand = {
  word: 'mcp',
  summary: 'Serve an MCP client over standard input and output',
  args: [],
  fields: [
    field('toolset', 'The toolsets to offer.', { kind: 'list' }),
    field('list', 'Print the tools and the size of their listing.', { kind: 'boolean' }),
  ],
  help: 'Usage: mem mcp [--toolset NAMES] [--list]\n\nThe same as mem-mcp: see mem mcp --help.\n',
  run: (args, { mcp }) => mcp(args),
};

import { realpathSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { UsageError } from '../failure.ts';
import type { ProcessStart } from '../parts.ts';

/** How a client starts the program: a command with arguments, without a shell. */
export type Program = { command: string; args: readonly string[] };
export type Programs = {
  mcp: Program;
  /** `mem` itself, for hooks. */
  mem: Program;
  /** It is the same on every machine, and may be shared with a project. */
  portable: boolean;
};

/**
 * The program as it was started now, so that what works here works for the client: from the store of npx, which may be
 * emptied at any time, by npx again; else by the whole names of node and of the file, as clients have another PATH.
 */
export function programsOf({ node, script, platform }: Omit<ProcessStart, 'folder'>): Programs {
  const file = realpathSync(script);
  if (file.split(sep).includes('_npx')) {
    const npx = (...args: string[]): Program =>
      platform === 'win32'
        ? { command: 'cmd', args: ['/c', 'npx', '-y', ...args] }
        : { command: 'npx', args: ['-y', ...args] };
    // The server has its own way into MCP, and brings the store; mem-mcp alone would only reach a server.
    return { mcp: npx('@mem-service/server', 'mcp'), mem: npx('@mem-service/server'), portable: true };
  }
  if (!basename(file).endsWith('.js'))
    throw new UsageError('init writes down how to start the built program: run npm run build, and that');
  return { mcp: { command: node, args: [file, 'mcp'] }, mem: { command: node, args: [file] }, portable: false };
}

/** As a line for a shell, also that of Windows. */
export const commandLine = ({ command, args }: Program, ...more: readonly string[]): string =>
  [command, ...args, ...more]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`))
    .join(' ');

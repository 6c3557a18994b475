import { realpathSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { UsageError } from '../failure.ts';
import type { ProcessStart } from '../parts.ts';

/** The package that brings the command `mem`. */
export const PACKAGE = '@mem-service/cli';

/** How a client starts the program: a command and arguments, without a shell. */
export type Program = { command: string; args: readonly string[] };
export type Programs = {
  mcp: Program;
  /** `mem` itself, for hooks. */
  mem: Program;
  /** Whether the command is the same on every machine, so that a project can share it. */
  portable: boolean;
  /** `mem` as a person types it here. */
  typed: string;
};

/**
 * The program as it was started now, so that what works here works for the client. If npx started it, from a cache that
 * may be emptied at any time, npx starts it again; otherwise the full paths of node and of the script are used, because
 * clients have another PATH.
 */
export function programsOf({ node, script, platform }: Omit<ProcessStart, 'folder'>): Programs {
  const file = realpathSync(script);
  if (file.split(sep).includes('_npx')) {
    const npx = (...args: string[]): Program =>
      platform === 'win32'
        ? { command: 'cmd', args: ['/c', 'npx', '-y', ...args] }
        : { command: 'npx', args: ['-y', ...args] };
    return { mcp: npx(PACKAGE, 'mcp'), mem: npx(PACKAGE), portable: true, typed: `npx ${PACKAGE}` };
  }
  if (!basename(file).endsWith('.js'))
    throw new UsageError('init needs the built program: run npm run build, then start that');
  const mem = { command: node, args: [file] };
  return { mcp: { ...mem, args: [file, 'mcp'] }, mem, portable: false, typed: 'mem' };
}

/** A command line for a shell, including that of Windows. */
export const commandLine = ({ command, args }: Program, ...more: readonly string[]): string =>
  [command, ...args, ...more]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`))
    .join(' ');

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
  /** `mem` as a person types it here. */
  typed: string;
};

/** The same on every machine, so that the settings of a project can be shared. */
export const sharedPrograms: Programs = {
  mcp: { command: 'npx', args: ['-y', PACKAGE, 'mcp'] },
  mem: { command: 'npx', args: ['-y', PACKAGE] },
  typed: `npx ${PACKAGE}`,
};

/** On Windows npx is a script, which only a shell can start. */
function throughCmd({ mcp, mem, typed }: Programs): Programs {
  const wrap = ({ command, args }: Program): Program => ({ command: 'cmd', args: ['/c', command, ...args] });
  return { mcp: wrap(mcp), mem: wrap(mem), typed };
}

/**
 * The program as it was started now, so that what works here works for the client. If npx started it, from a cache that
 * may be emptied at any time, npx starts it again; otherwise the full paths of node and of the script are used, because
 * clients have another PATH.
 */
export function programsOf({ node, script, platform }: Omit<ProcessStart, 'folder'>): Programs {
  const file = realpathSync(script);
  if (file.split(sep).includes('_npx')) return platform === 'win32' ? throughCmd(sharedPrograms) : sharedPrograms;
  if (!basename(file).endsWith('.js'))
    throw new UsageError('init needs the built program: run npm run build, then start that');
  const mem = { command: node, args: [file] };
  return { mcp: { ...mem, args: [file, 'mcp'] }, mem, typed: 'mem' };
}

/** A command line for a shell, including that of Windows. */
export const commandLine = ({ command, args }: Program, ...more: readonly string[]): string =>
  [command, ...args, ...more]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`))
    .join(' ');

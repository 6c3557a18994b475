import type { Environment } from '../../config.ts';
import { askLine } from '../ask.ts';
import type { Terminal } from '../terminal.ts';

/** The sets to choose from, with what they are for. */
export const offeredToolsets = {
  core: 'what the specification calls core, tracing and identity: 14 kB',
  slim: 'the most useful ones, for small contexts: 6 kB',
  all: 'also rooms, evaluation, branches, single spans, comparisons',
} as const;

type OfferedToolset = keyof typeof offeredToolsets;
const names = Object.keys(offeredToolsets) as OfferedToolset[];

type ToolsetChoice = { toolset: string | undefined; uninstall: boolean; dryRun: boolean; yes: boolean };

/** The environment with the chosen tools. Asks on a terminal where neither a flag nor MEM_TOOLSET has chosen. */
export async function withToolset(env: Environment, choice: ToolsetChoice, terminal: Terminal): Promise<Environment> {
  const { toolset, uninstall, dryRun, yes } = choice;
  if (toolset !== undefined) return { ...env, MEM_TOOLSET: toolset };
  const isAsked = !uninstall && !dryRun && !yes && terminal.stdin.isTTY && !env.MEM_TOOLSET;
  if (!isAsked) return env;
  const lines = names.map((name) => `  ${name.padEnd(6)}${offeredToolsets[name]}\n`).join('');
  const chosen = await askLine(
    terminal,
    `Every tool that a client lists takes room in the context of its model.\n${lines}Tools [core]: `,
  );
  // The default need not be written down, so that it follows later versions. Without an answer, an earlier choice stays.
  if (chosen === 'core') return { ...env, MEM_TOOLSET: '' };
  return chosen === 'slim' || chosen === 'all' ? { ...env, MEM_TOOLSET: chosen } : env;
}

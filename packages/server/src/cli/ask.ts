import { createInterface } from 'node:readline/promises';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** How shells report a program that SIGINT ended. */
const INTERRUPTED = 130;

/** Asks for one line on the terminal. The answer is undefined if the input ended. */
export async function askLine({ gone }: Terminal, question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Otherwise readline takes Ctrl-C for the end of the input, which chooses the default.
  lines.once('SIGINT', () => {
    lines.close();
    process.stderr.write('\n');
    process.exit(INTERRUPTED);
  });
  try {
    return (await lines.question(question, { signal: gone })).trim();
  } catch {
    return undefined;
  } finally {
    lines.close();
  }
}

/** Whether the user agrees; `without` says what to do where there is nobody to ask. */
export async function isAgreed(terminal: Terminal, question: string, without: string): Promise<boolean> {
  if (!terminal.stdin.isTTY) throw new UsageError(without);
  return /^y(es)?$/i.test((await askLine(terminal, `${question} [y/N] `)) ?? '');
}

import { isAgreed } from './ask.ts';
import type { Command } from './commands.ts';
import type { ServiceConnection } from './connect.ts';
import { UsageError } from './failure.ts';
import { readAnswer, render } from './render/index.ts';
import type { Terminal } from './terminal.ts';

type ErasureCall = { input: Record<string, unknown>; terminal: Terminal };

/**
 * Erases after showing what would go and asking. Nothing brings it back, so where there is no terminal it takes `--yes`.
 * Returns the answer of a trial run where the user does not agree.
 */
export async function eraseIfAgreed(
  connection: ServiceConnection,
  { name, word }: Command,
  { input, terminal }: ErasureCall,
): Promise<string | undefined> {
  const without = `${word} erases for good: add --yes to do it, or --dry-run to see what would go`;
  if (!terminal.stdin.isTTY) throw new UsageError(without);
  const trial = await connection.call(name, { ...input, dry_run: true });
  const { out, note } = render(name, readAnswer(name, trial), terminal.screen);
  terminal.err(out);
  terminal.err(note);
  if (await isAgreed(terminal, 'Erase this for good?', without)) return connection.call(name, input);
  terminal.err('nothing was erased\n');
  return undefined;
}

import type { StreamName } from '@mem-service/contract';
import type { ServiceConnection } from './connect.ts';
import type { CommandInput } from './input.ts';
import { eventLine } from './render/index.ts';
import type { Terminal } from './terminal.ts';

export type StreamCommand = { name: StreamName; input: CommandInput };

/** Prints events as they arrive, one line each, until the user stops it. */
export async function printEvents(
  connection: ServiceConnection,
  { name, input }: StreamCommand,
  { terminal, json }: { terminal: Terminal; json: boolean },
): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const print = (text: string) => terminal.out(json ? `${text}\n` : eventLine(JSON.parse(text), terminal.screen));
  if (terminal.screen.width !== undefined) terminal.err('watching; Ctrl-C ends it\n');
  try {
    await connection.follow(name, input, { print, signal: AbortSignal.any([stop.signal, terminal.gone]) });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

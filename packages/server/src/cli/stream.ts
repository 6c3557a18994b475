import type { StreamName } from '@mem-service/contract';
import type { ServiceConnection } from './connect.ts';
import type { CommandInput } from './input.ts';
import { eventLine } from './render/index.ts';
import { type Terminal, warn } from './terminal.ts';

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
  let last = '';
  const onRetry = (reason: string) => {
    if (reason !== last) warn(terminal, `${reason}; trying again`);
    last = reason;
  };
  if (terminal.screen.width !== undefined) terminal.err('watching; Ctrl-C ends it\n');
  try {
    await connection.follow(name, input, { print, onRetry, signal: AbortSignal.any([stop.signal, terminal.gone]) });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

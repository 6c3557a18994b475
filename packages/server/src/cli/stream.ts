import type { JsonObject, StreamName } from '@mem-service/contract';
import type { ServiceConnection, StreamOutput } from './connect.ts';
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
  const tell = (reason: string) => warn(terminal, reason);
  const reading = { print, onRetry, tell, signal: AbortSignal.any([stop.signal, terminal.gone]) };
  try {
    await followOn(connection, { name, input }, reading);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Where the log was set back under an open stream, says so, and goes on with what is committed from then on. */
async function followOn(
  connection: ServiceConnection,
  { name, input }: StreamCommand,
  { tell, ...reading }: Omit<StreamOutput, 'onOpen'> & { tell: (reason: string) => void },
): Promise<void> {
  for (let after: string | undefined; ; ) {
    let isOpen = false;
    const onOpen = () => {
      isOpen = true;
    };
    try {
      return await connection.follow(name, after === undefined ? input : { ...input, after }, { ...reading, onOpen });
    } catch (error) {
      const position = rewoundTo(error);
      if (position === undefined || !isOpen) throw error;
      tell(`${(error as Error).message}; watching on from there`);
      after = position;
    }
  }
}

/** From the store itself, or from a server. */
function rewoundTo(error: unknown): string | undefined {
  const { code, detail, problem } = error as { code?: string; detail?: JsonObject; problem?: JsonObject };
  return code === 'log_rewound' ? ((problem ?? detail)?.position as string | undefined) : undefined;
}

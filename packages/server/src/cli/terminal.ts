import type { Stdin } from './input.ts';
import { clean, type Screen } from './render/index.ts';

/** The streams of the process. */
export type Terminal = {
  screen: Screen;
  stdin: Stdin;
  out(text: string): void;
  err(text: string): void;
  /** Aborted when the output is no longer read. */
  gone: AbortSignal;
};

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const gone = new AbortController();
  for (const stream of [stdout, stderr]) stream.on('error', endQuietly);
  stdout.on('error', () => gone.abort());
  const write = (stream: NodeJS.WriteStream) => (text: string) => {
    if (text !== '') stream.write(text);
  };
  return {
    // The stream itself checks NO_COLOR, TERM and the like.
    screen: {
      width: stdout.isTTY ? stdout.columns || 80 : undefined,
      colour: stdout.isTTY === true && stdout.hasColors(),
    },
    stdin,
    out: write(stdout),
    err: write(stderr),
    gone: gone.signal,
  };
}

/** A closed pipe is not a failure: `mem list | head` ends normally. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

export const warn = (terminal: Terminal, text: string): void => terminal.err(`mem: warning: ${clean(text)}\n`);

import { createLines } from './lines.ts';
import { createMethods } from './methods.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import { createStream } from './stream.ts';
import { type ClientOptions, createSend, shared } from './transport.ts';
import type { Methods } from './types.ts';

export type Client = Methods & {
  /** The same methods for one piece of work, from its first read to its outcome. */
  session(options?: SessionOptions): Session;
};

export function createClient(given: ClientOptions): Client {
  const options = shared(given);
  const methods = createMethods({
    send: createSend(options),
    follow: createStream(options),
    list: createLines(options),
  });
  return { ...methods, session: (named = {}) => createSession(options, named) };
}

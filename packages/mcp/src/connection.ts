import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { DirectCalls } from './direct-calls.ts';
import { exactLines } from './exact-arguments.ts';
import { clientWithin, createMcpServer, type ServerOffer } from './server.ts';
import type { McpSession } from './session.ts';
import { createWatch, watchedResources } from './watch.ts';

export type StdioConnection = {
  /** Resolves when every request has been answered. */
  answered(): Promise<void>;
  close(): Promise<void>;
};

/** Serves the client over standard input and output. */
export function serveClient(
  session: McpSession,
  offer: ServerOffer & Required<Pick<ServerOffer, 'onError'>>,
): StdioConnection {
  let server: Server | undefined;
  let hasHandshake = false;
  const { onError } = offer;
  const watch = createWatch(session, {
    onChange: (uri) => void server?.sendResourceUpdated({ uri }).catch(onError),
    end: (error) => error !== undefined && onError(error),
  });
  // The transport closes at the end of its input, even with answers outstanding; so it never sees that end.
  const calls = new DirectCalls(session, {
    ...offer,
    server: () => (hasHandshake && server?.getClientVersion() ? server : undefined),
    write: (line) => process.stdout.write(line),
  });
  const input = process.stdin.pipe(
    exactLines((message) => calls.take(message)),
    { end: false },
  );
  const transport = new StdioServerTransport(input, process.stdout);
  const make = ({ era }: { era: 'legacy' | 'modern' }) => {
    hasHandshake = era === 'legacy';
    server = createMcpServer(session, { ...offer, watch });
    return server;
  };
  const connection = serveStdio(make, { onerror: onError, transport });
  const { onmessage } = transport;
  // Clients without a handshake send their subscriptions to the transport, which does not pass them on.
  transport.onmessage = (message) => {
    const uris = watchedResources(message);
    if (uris.length === 0) return onmessage?.(message);
    session.identity.meet(clientWithin(message));
    const added = Promise.all(uris.map((uri) => watch.add(uri)));
    void added.catch(onError).then(() => onmessage?.(message));
  };
  const answered = answersOf(transport);
  return {
    answered: async () => void (await Promise.all([answered(), calls.answered()])),
    async close() {
      watch.close();
      calls.close();
      await connection.close();
      // A process stays alive while it reads from standard input.
      process.stdin.unpipe(input).pause();
    },
  };
}

type McpMessage = { id?: string | number | undefined; method?: string };

/** Tracks requests without an answer. Subscriptions are not counted: they stay open until the client ends them. */
function answersOf(transport: StdioServerTransport): () => Promise<void> {
  const waiting = new Set<string | number>();
  let finish = () => {};
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message) => {
    const { id, method } = message as McpMessage;
    if (id !== undefined && method !== undefined && method !== 'subscriptions/listen') waiting.add(id);
    onmessage?.(message);
  };
  transport.send = async (message) => {
    const { id, method } = message as McpMessage;
    await send(message);
    if (id !== undefined && method === undefined && waiting.delete(id) && waiting.size === 0) finish();
  };
  return () =>
    new Promise((resolve) => {
      finish = resolve;
      if (waiting.size === 0) resolve();
    });
}

import { PassThrough } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { clientWithin, createMcpServer, type ServerOffer } from './server.ts';
import type { McpSession } from './session.ts';
import { createWatch, watchedResources } from './watch.ts';

export type StdioConnection = {
  /** Settles when every question has its answer. */
  answered(): Promise<void>;
  close(): Promise<void>;
};

/** Speaks to the client at the other end of standard input and output. */
export function serveClient(
  session: McpSession,
  offer: ServerOffer & Required<Pick<ServerOffer, 'onError'>>,
): StdioConnection {
  let server: Server | undefined;
  const { onError } = offer;
  const watch = createWatch(session, {
    onChange: (uri) => void server?.sendResourceUpdated({ uri }).catch(onError),
    end: (error) => error !== undefined && onError(error),
  });
  // The transport takes the end of its input for the end of everything, also of what is still to be answered.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  const transport = new StdioServerTransport(input, process.stdout);
  const make = () => {
    server = createMcpServer(session, { ...offer, watch });
    return server;
  };
  const connection = serveStdio(make, { onerror: onError, transport });
  const { onmessage } = transport;
  // Clients without a handshake say what they watch to the transport, which keeps it to itself.
  transport.onmessage = (message) => {
    const uris = watchedResources(message);
    if (uris.length === 0) return onmessage?.(message);
    session.identity.meet(clientWithin(message));
    const added = Promise.all(uris.map((uri) => watch.add(uri)));
    void added.catch(onError).then(() => onmessage?.(message));
  };
  return {
    answered: answersOf(transport),
    async close() {
      watch.close();
      await connection.close();
      // A process lives for as long as it reads, also where the client would never say another word.
      process.stdin.unpipe(input).pause();
    },
  };
}

type McpMessage = { id?: string | number | undefined; method?: string };

/** What was asked and not answered yet. A client that listens is answered when it has heard enough. */
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

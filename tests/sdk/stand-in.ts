import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SeenRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type StandInAnswer = (response: ServerResponse, seen: SeenRequest) => void;
export type StandIn = { url: string; seen: SeenRequest[]; close(): Promise<void> };

/** A server on loopback that gives the answers of the list in turn, the last one for ever, and records the requests. */
export async function standIn(...answers: [StandInAnswer, ...StandInAnswer[]]): Promise<StandIn> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    // One that hangs up before its end is not seen.
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      const answer = answers[seen.length - 1] ?? (answers.at(-1) as StandInAnswer);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): StandInAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const hangUp: StandInAnswer = (response) => response.socket?.destroy();
export const neverAnswer: StandInAnswer = () => {};

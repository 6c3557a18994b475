import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type ChatQuestion = {
  path: string;
  authorization: string | undefined;
  body: { model: string; messages: { role: string; content: string }[]; [member: string]: unknown };
};

type ChatReply = (question: ChatQuestion, response: ServerResponse, no: number) => void | Promise<void>;

export type ChatServer = {
  url: string;
  /** Everything that was asked so far. */
  questions: ChatQuestion[];
  reply: ChatReply;
};

/** A server of language models on loopback that speaks OpenAI's protocol. */
export async function startChatServer(reply: ChatReply = says({ result: 'pass', score: 1 })): Promise<ChatServer> {
  const served: ChatServer = { url: '', questions: [], reply };
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const question = {
      path: message.url ?? '',
      authorization: message.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    };
    served.questions.push(question);
    await served.reply(question, response, served.questions.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return served;
}

export const USAGE = { prompt_tokens: 1_000, completion_tokens: 100 };

export const answers =
  (status: number, body: unknown, headers: object = {}): ChatReply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** The words of the model, in an answer of the protocol. */
export const writes = (
  content: string,
  { usage = USAGE, ...more }: { usage?: object; [member: string]: unknown } = {},
) => answers(200, { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop', ...more }], usage });

export const says = (verdict: object, more: Parameters<typeof writes>[1] = {}): ChatReply =>
  writes(JSON.stringify({ reason: 'it is as it should be', span_ids: [], memory: [], ...verdict }), more);

/** What a server does for each question in turn; the last one goes on. */
export const inTurn =
  (...replies: ChatReply[]): ChatReply =>
  (question, response, no) =>
    replies[Math.min(no, replies.length) - 1]?.(question, response, no);

/** The settings of a service that asks it. */
export const judgingBy = ({ url }: { url: string }, more: object = {}) => ({
  judging_server: {
    ...{ url: `${url}/v1/chat/completions`, models: ['small', 'large'], key: 'secret-key', timeout_ms: 5_000 },
    ...{ price: { input_per_1m: 10, output_per_1m: 100 }, calls_per_day: 1_000, usd_per_day: null, ...more },
  },
});

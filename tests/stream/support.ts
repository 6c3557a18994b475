import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { until } from '../faults/support/mem-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever the service sends
type AnyEventData = any;
export type StreamedEvent = { event: string; id: number; data: AnyEventData };

export type StreamQuery = {
  after?: number;
  lastId?: number | string;
  query?: string;
  headers?: Record<string, string>;
};

/** A reader of the raw stream that parses it strictly by the format. */
export type StreamListener = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Every byte, as it came. */
  raw: () => string;
  events: StreamedEvent[];
  seqs: () => number[];
  comments: string[];
  /** The first comment has come, or the end. */
  begun: Promise<void>;
  /** What a browser would send back as `Last-Event-ID`. */
  lastId: () => string;
  has: (count: number) => Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
  isOver: () => boolean;
  over: Promise<void>;
};

/** Connects, and is back when the answer has begun. */
export async function openStream(
  url: string,
  { after, lastId, query = '', headers = {} }: StreamQuery = {},
): Promise<StreamListener> {
  const address = `${url}/api/v1/stream?${[...(after === undefined ? [] : [`after=${after}`]), query].join('&')}`;
  const resume = lastId === undefined ? {} : { 'last-event-id': String(lastId) };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      address.replace(/[?&]+$/, ''),
      { agent: false, headers: { ...headers, ...resume } },
      resolve,
    );
    outgoing.on('error', reject).end();
  });
  const listener = listenTo(incoming);
  onTestFinished(() => listener.close());
  // A stream sends its opening at once.
  if (listener.status === 200) await listener.begun;
  return listener;
}

function listenTo(incoming: IncomingMessage): StreamListener {
  let raw = '';
  let lastId = '';
  let isOver = false;
  let rest = '';
  const events: StreamedEvent[] = [];
  const comments: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const readBlock = (block: string) => {
    const event = { event: 'message', id: Number.NaN, data: undefined as AnyEventData };
    for (const line of block.split('\n')) {
      const [, field = '', text = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (field === '') comments.push(text);
      else if (field === 'id') lastId = text;
      else if (field === 'event') event.event = text;
      else if (field === 'data') event.data = JSON.parse(text);
    }
    if (event.data !== undefined) events.push({ ...event, id: Number.parseInt(lastId, 10) });
  };
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    raw += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() as string;
    blocks.forEach(readBlock);
    if (comments.length > 0) begin();
  });
  incoming.on('error', () => {});
  const over = new Promise<void>((resolve) => {
    incoming.on('close', () => {
      isOver = true;
      begin();
      resolve();
    });
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    raw: () => raw,
    events,
    seqs: () => events.map(({ id }) => id),
    comments,
    begun,
    lastId: () => lastId,
    has: (count) => until(() => events.length >= count, { what: `${count} events, not ${events.length}` }),
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void incoming.destroy(),
    isOver: () => isOver,
    over,
  };
}

export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

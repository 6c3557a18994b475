import { Transform } from 'node:stream';
import { attachRaw, type JsonObject, JsonText } from '@mem-service/contract';

/** Where the exact text of a call's arguments travels beside them; the protocol leaves such members alone. */
const EXACT_META_KEY = 'mem.service/exact-arguments';
const ARGUMENTS = [['params', 'arguments']] as const;

type ToolCallMessage = { method?: unknown; params?: JsonObject & { _meta?: JsonObject } };

/**
 * Parses a message of a client. JSON.parse changes numbers such as 12345678901234567890 and 1.0, so a call of a tool
 * carries the text of its arguments along. Throws on text that is not JSON; `parsed` is what it holds, if that is known.
 */
export function parseMessage(text: string, parsed: unknown = JSON.parse(text)): unknown {
  const message = parsed as ToolCallMessage | null;
  if (message?.method !== 'tools/call' || typeof message.params !== 'object' || message.params === null) return message;
  attachRaw(text, message, ARGUMENTS);
  const { arguments: exact, _meta } = message.params;
  if (!(exact instanceof JsonText)) return message;
  message.params = { ...message.params, arguments: exact.value, _meta: { ..._meta, [EXACT_META_KEY]: exact.text } };
  return message;
}

/** The text of the arguments, from the `_meta` of the call. */
export function exactArguments(meta: unknown): string | undefined {
  const text = (meta as JsonObject | undefined)?.[EXACT_META_KEY];
  return typeof text === 'string' ? text : undefined;
}

const NEWLINE = 0x0a;

/** Larger messages are left to the SDK, which bounds them. */
const MAX_TAKEN_CHARS = 1024 * 1024;

/**
 * Lets every line of a stream pass through `parseMessage`. A line that is not JSON stays as it is. Calls of tools and
 * cancellations that `take` accepts do not appear in the stream.
 */
export function exactLines(take: (message: unknown) => boolean): Transform {
  let pending: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const last = chunk.subarray(start, end);
        const line = exactLine((pending.length > 0 ? Buffer.concat([...pending, last]) : last).toString('utf8'), take);
        if (line !== undefined) this.push(`${line}\n`);
        pending = [];
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
      done();
    },
    flush(done) {
      this.push(Buffer.concat(pending));
      done();
    },
  });
}

function exactLine(line: string, take: (message: unknown) => boolean): string | undefined {
  const isCall = line.includes('"tools/call"');
  if (!isCall && !line.includes('"notifications/cancelled"')) return line;
  const message = parsedMessage(line);
  if (message === undefined) return line;
  if (line.length <= MAX_TAKEN_CHARS && take(message)) return undefined;
  return isCall ? JSON.stringify(message) : line;
}

function parsedMessage(line: string): unknown {
  try {
    return parseMessage(line);
  } catch {
    return undefined;
  }
}

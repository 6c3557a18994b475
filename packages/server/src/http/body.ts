import { isUtf8 } from 'node:buffer';
import {
  attachRawOf,
  Fault,
  type JsonLimits,
  jsonDepth,
  type OperationName,
  operations,
  type ParsedText,
  parseJsonInSteps,
  shapes,
  tooDeep,
} from '@mem-service/contract';
import { inTurns, pause } from '../turns.ts';

/** A body holds its value one or two levels down, so it may be a little deeper than a value. */
export const BODY_LIMITS: JsonLimits = { depth: shapes.MAX_JSON_DEPTH + 8, members: 50_000, values: 250_000 };

/**
 * An ordinary span has some 45 members, 3 for each of its attributes: 8 MiB of them reach the limit of bytes before these.
 */
export const OTLP_LIMITS: JsonLimits = { ...BODY_LIMITS, members: 350_000, values: 500_000 };

const limitsOf = (name: OperationName): JsonLimits => (operations[name].http.otlp ? OTLP_LIMITS : BODY_LIMITS);

/** Smaller bodies are read at once: whatever they hold, they have few values. */
const SMALL_BYTES = 64 * 1024;
/** Bytes that are decoded in one step. */
const DECODED_BYTES = 512 * 1024;

export const isLargeBody = (bytes: Buffer): boolean => bytes.length > SMALL_BYTES;

/** Parses a JSON body without changing a byte of the values in it. Returns a promise only for a large one. */
export function readBody(
  bytes: Buffer,
  name: OperationName,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  if (bytes.length === 0) return {};
  if (isLargeBody(bytes)) return readLargeBody(bytes, name);
  return withExactValues(parseSmall(bytes), name);
}

function parseSmall(bytes: Buffer): ParsedText {
  checkUtf8(bytes);
  const text = bytes.toString('utf8');
  const depth = jsonDepth(text);
  if (depth > BODY_LIMITS.depth) throw tooDeep(BODY_LIMITS.depth);
  return { text, depth, parsed: parse(text) };
}

/** Parses a JSON body of any form. Returns a promise only for a large one. */
export const parseBody = (bytes: Buffer): ParsedText | Promise<ParsedText> =>
  isLargeBody(bytes) ? parseInTurns(bytes) : parseSmall(bytes);

async function readLargeBody(bytes: Buffer, name: OperationName): Promise<Record<string, unknown>> {
  const read = await parseInTurns(bytes, limitsOf(name));
  await pause();
  const body = withExactValues(read, name);
  await pause();
  return body;
}

/** Parses a large body in turns with other requests. */
export async function parseInTurns(bytes: Buffer, limits: JsonLimits = BODY_LIMITS): Promise<ParsedText> {
  await pause();
  checkUtf8(bytes);
  const text = await inTurns(decodeInSteps(bytes));
  try {
    return { text, ...(await inTurns(parseJsonInSteps(text, limits))) };
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error;
  }
}

function* decodeInSteps(bytes: Buffer): Generator<void, string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for (let at = 0; at < bytes.length; at += DECODED_BYTES) {
    text += decoder.decode(bytes.subarray(at, at + DECODED_BYTES), { stream: true });
    yield;
  }
  return text + decoder.decode();
}

function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new Fault('invalid_json', 'the body is not valid UTF-8');
}

/** Refuses what is no object, and keeps the exact text of the values that the operation names. */
function withExactValues({ text, parsed, depth }: ParsedText, name: OperationName): Record<string, unknown> {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Fault('invalid_input', 'the body must be a JSON object', {
      errors: [{ path: '', message: 'must be a JSON object' }],
    });
  const { raw: paths } = operations[name];
  if (paths) attachRawOf({ text, parsed, depth }, paths);
  return parsed as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error as Error);
  }
}

const notJson = ({ message }: Error): Fault => new Fault('invalid_json', `the body is not valid JSON: ${message}`);

import { isUtf8 } from 'node:buffer';
import { attachRaw, Fault, jsonDepth, type OperationName, operations, shapes } from '@mem-service/contract';

/** A body holds its value one or two levels down, so it may be a little deeper than a value. */
const MAX_BODY_DEPTH = shapes.MAX_JSON_DEPTH + 8;

/** Parses a JSON body without changing a byte of the values in it. */
export function readBody(bytes: Buffer, name: OperationName): Record<string, unknown> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new Fault('invalid_json', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (jsonDepth(text) > MAX_BODY_DEPTH)
    throw new Fault('invalid_input', `the body is nested deeper than ${MAX_BODY_DEPTH} levels`, {
      errors: [{ path: '', message: `is nested deeper than ${MAX_BODY_DEPTH} levels` }],
    });
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Fault('invalid_input', 'the body must be a JSON object', {
      errors: [{ path: '', message: 'must be a JSON object' }],
    });
  const { raw } = operations[name];
  if (raw) attachRaw(text, parsed, raw);
  return parsed as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('invalid_json', `the body is not valid JSON: ${(error as Error).message}`);
  }
}

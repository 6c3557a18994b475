import { JsonText, type Output, stringify } from '@mem-service/contract';

/** The text of a longer part takes a millisecond and more to be made. */
const LONG_PART_CHARS = 32 * 1024;

const long = new WeakSet<object>();
const isHeld = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Parses a part of a trace, and remembers which values in it are long. */
export function parsePart(data: string): object {
  const part = JSON.parse(data) as Record<string, unknown>;
  if (data.length > LONG_PART_CHARS) for (const value of Object.values(part)) if (isHeld(value)) long.add(value);
  return part;
}

/** Makes the texts of long values in a trace that is an answer, one in a step, so that they need not be made all at once. */
export function* showLongValues(trace: Output<'traces.read'>): Generator<void, Output<'traces.read'>> {
  const { tool_calls, query_events, session_metadata } = trace;
  for (const parts of [tool_calls, query_events, session_metadata.llm_calls, session_metadata.spans])
    for (const part of parts as Record<string, unknown>[])
      for (const [name, value] of Object.entries(part))
        if (isHeld(value) && long.has(value)) {
          part[name] = new JsonText(stringify(value)).knowing(value);
          yield;
        }
  return trace;
}

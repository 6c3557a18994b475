import { checkResults } from './results.ts';
import type { Transformed } from './types.ts';

/** Deeper values cannot be stored. */
const MAX_DEPTH = 100;

export type OutputLimits = { max_value_bytes: number; max_result_chars: number };

/** What a thread sent for one event, checked. */
export function readOutput(output: unknown, { max_value_bytes, max_result_chars }: OutputLimits): Transformed {
  const { results, failure } = (output ?? {}) as { results?: unknown; failure?: unknown };
  if (typeof failure === 'string') return failed(failure, true);
  if (typeof results !== 'string' || results.length > max_result_chars || isTooDeep(results))
    return failed(`transform returned what is too large, or nested more than ${MAX_DEPTH} times`, false);
  try {
    // A character has three bytes at most: what is short as a whole need not be measured.
    const isShort = 3 * results.length <= max_value_bytes;
    const checked = checkResults(JSON.parse(results), {
      max_value_bytes: isShort ? Number.POSITIVE_INFINITY : max_value_bytes,
    });
    return 'results' in checked ? checked : failed(checked.problem, false);
  } catch {
    return failed('transform returned what is not JSON', false);
  }
}

/** A failure that passes may be gone when the event is tried again. */
export const failed = (reason: string, passing: boolean): Transformed => ({ failure: { reason, passing } });

/** There was not enough time for it. */
export const late = (reason: string): Transformed => ({ failure: { reason, passing: true, at_once: true } });

/** Brackets in texts are looked at only where they would matter. */
const isTooDeep = (json: string): boolean =>
  mayBeTooDeep(json) && depthOf(json) > MAX_DEPTH && depthOf(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) > MAX_DEPTH;

/** Most results have fewer brackets than that: to look for these is cheaper than to look at each character. */
function mayBeTooDeep(json: string): boolean {
  let brackets = 0;
  for (const sign of ['[', '{'])
    for (let at = json.indexOf(sign); at >= 0; at = json.indexOf(sign, at + 1)) if (++brackets > MAX_DEPTH) return true;
  return false;
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

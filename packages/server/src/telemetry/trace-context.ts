import { randomFillSync } from 'node:crypto';
import type { Sampler } from './settings.ts';

/** The trace and span of a piece of work, and whether it is exported. */
export type TraceContext = { trace_id: string; span_id: string; parent_span_id: string | null; isSampled: boolean };

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

type ParentContext = { trace_id: string; span_id: string; isSampled: boolean };

/** Parses the header of W3C Trace Context. An invalid header is ignored. */
export function parentOf(traceparent: string | string[] | undefined): ParentContext | undefined {
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent.trim()) : null;
  if (match === null) return undefined;
  const [text, trace_id = '', span_id = '', flags = '', rest] = match;
  // Only later versions may have more fields.
  if (rest !== undefined && text.startsWith('00')) return undefined;
  return { trace_id, span_id, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes are fetched in bulk. */
function newId(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

export function beginTrace(traceparent: string | string[] | undefined, sampler: Sampler): TraceContext {
  const parent = parentOf(traceparent);
  const trace_id = parent?.trace_id ?? newId(16);
  const isSampled = parent && sampler.followsParent ? parent.isSampled : isWithin(trace_id, sampler.ratio);
  return { trace_id, span_id: newId(8), parent_span_id: parent?.span_id ?? null, isSampled };
}

export const childContext = ({ trace_id, span_id, isSampled }: TraceContext): TraceContext => ({
  trace_id,
  span_id: newId(8),
  parent_span_id: span_id,
  isSampled,
});

/** Decides by the trace id only, so that all services decide alike. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

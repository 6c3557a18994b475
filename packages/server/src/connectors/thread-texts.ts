import { jsonOf } from '../payload-text.ts';
import type { InboundEvent } from './types.ts';

/** A message is no longer than this, or has one event. */
export const MESSAGE_CHARS = 1024 * 1024;

export const eventText = ({ payload, ...rest }: InboundEvent): string =>
  `${JSON.stringify(rest).slice(0, -1)},"payload":${jsonOf(payload ?? null)}}`;

export function parsed(output: unknown): unknown {
  try {
    return typeof output === 'string' && output.length <= MESSAGE_CHARS ? JSON.parse(output) : undefined;
  } catch {
    return undefined;
  }
}

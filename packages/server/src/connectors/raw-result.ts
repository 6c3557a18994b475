import { keyOf } from './text.ts';
import type { EntryResult, InboundEvent } from './types.ts';

/** A delivery as it came: one that a connector finds nothing in that it knows. */
export const rawResult = (event: InboundEvent, entity_path: string): EntryResult => ({
  operation: 'write',
  entity_path,
  key: keyOf('raw', event.id === '' ? event.event_type : event.id),
  value: event.payload ?? null,
  raw: true,
});

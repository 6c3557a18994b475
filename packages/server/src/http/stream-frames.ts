import { streamNameOf } from '@mem-service/contract';
import type { LogEvent, Subscription } from '../kernel/index.ts';

type EventFormatter = Pick<Subscription, 'toText'>;

/** Made once, however many read it. */
const frames = new WeakMap<LogEvent, Buffer>();
const lists = new WeakMap<readonly LogEvent[], Buffer>();

function frameOf(event: LogEvent, formatter: EventFormatter): Buffer {
  let frame = frames.get(event);
  if (!frame) {
    frame = Buffer.from(
      `event: ${streamNameOf(event.event_type)}\nid: ${event.seq}\ndata: ${formatter.toText(event)}\n\n`,
    );
    frames.set(event, frame);
  }
  return frame;
}

/** Events as they are sent. */
export function framesOf(events: readonly LogEvent[], formatter: EventFormatter): Buffer {
  const [first] = events;
  if (first && events.length === 1) return frameOf(first, formatter);
  let bytes = lists.get(events);
  if (!bytes) {
    bytes = Buffer.concat(events.map((event) => frameOf(event, formatter)));
    lists.set(events, bytes);
  }
  return bytes;
}

/** Tells a client that it is connected, when to come back, and where to go on, even if nothing happens before it must. */
export const opening = (seq: number): string => `: connected\nretry: 1000\nid: ${seq}\n\n`;

/** Nothing to a client but a sign of life, and a later place to go on from. */
export const heartbeat = (seq: number): string => `: still here\nid: ${seq}\n\n`;

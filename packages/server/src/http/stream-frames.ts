import { streamNameOf } from '@mem-service/contract';
import type { LogEvent, Subscription } from '../kernel/index.ts';

type EventFormatter = Pick<Subscription, 'toText'>;

/** Each frame is built once for all readers. */
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

/** Events as bytes of the stream. */
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

/** Confirms the connection, and gives the delay and position for a reconnect, even if no event follows. */
export const opening = (seq: number): string => `: connected\nretry: 1000\nid: ${seq}\n\n`;

/** Keeps the connection alive, and updates the position for a reconnect. */
export const heartbeat = (seq: number): string => `: still here\nid: ${seq}\n\n`;

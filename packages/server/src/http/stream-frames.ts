import { type Fault, streamNameOf } from '@mem-service/contract';
import { type LogEvent, type LogPosition, positionText, type Subscription } from '../kernel/index.ts';

type EventFormatter = Pick<Subscription, 'toText'>;

/** Each frame is built once for all readers. */
const frames = new WeakMap<LogEvent, Buffer>();
const lists = new WeakMap<readonly LogEvent[], Buffer>();

function frameOf(event: LogEvent, formatter: EventFormatter): Buffer {
  let frame = frames.get(event);
  if (!frame) {
    frame = Buffer.from(
      `event: ${streamNameOf(event.event_type)}\nid: ${positionText(event)}\ndata: ${formatter.toText(event)}\n\n`,
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
export const opening = (position: LogPosition): string => `: connected\nretry: 1000\nid: ${positionText(position)}\n\n`;

/** Keeps the connection alive, and updates the position for a reconnect. */
export const heartbeat = (position: LogPosition): string => `: still here\nid: ${positionText(position)}\n\n`;

/** The last frame of a stream that cannot go on. It has no id: a reader that connects again is refused for the same reason. */
export const ending = (fault: Fault): string => `event: ${fault.code}\ndata: ${JSON.stringify(fault.toProblem())}\n\n`;

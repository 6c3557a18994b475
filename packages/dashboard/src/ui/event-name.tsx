import type { ComponentProps } from 'react';
import { eventNameOf } from '../texts/events.ts';

type EventNameProps = { event: Parameters<typeof eventNameOf>[0]; className?: ComponentProps<'span'>['className'] };

/** What an event is called; who points at it sees its type, as calls and filters name it. */
export const EventName = ({ event, className }: EventNameProps) => (
  <span className={className} title={event.event_type}>
    {eventNameOf(event)}
  </span>
);

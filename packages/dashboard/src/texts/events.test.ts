import { eventTypes } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { EVENT_NAMES, eventName, eventNameOf } from './events.ts';

it('every type of event has a name', () => {
  expect(Object.keys(EVENT_NAMES)).toEqual([...eventTypes]);
  expect(new Set(Object.values(EVENT_NAMES)).size).toBe(eventTypes.length);
});

it('a type that is not known is shown as words', () => {
  expect(eventName('something_new')).toBe('something new');
});

it('a read across agents is named for whose timeline it is on', () => {
  const read = { event_type: 'cross_agent_read' };
  expect(eventNameOf({ ...read, details: {} })).toBe('Read across agents');
  expect(eventNameOf({ ...read, details: { direction: 'inbound' } })).toBe('Read by another agent');
});

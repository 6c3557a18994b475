import { expect, it } from 'vitest';
import type { FeedEvent } from '../../data/events.ts';
import { sentenceOf } from './room-sentence.ts';

const worded = (event_type: string, details: object): string | undefined => {
  const found = sentenceOf({ event_type, details } as FeedEvent);
  return found && `${[found.before, found.thing, found.after].filter(Boolean).join(' ')}${found.note}`;
};

it('what happens in a room is a sentence', () => {
  const step = { title: 'The date', round: 2, rationale: 'nobody is there on saturday' };
  expect(worded('negotiation_step', { ...step, action: 'counter', proposal: { day: 'monday' } })).toBe(
    'proposed {"day":"monday"} instead for The date: nobody is there on saturday',
  );
  expect(worded('negotiation_step', { ...step, action: 'accept', proposal: null, rationale: '' })).toBe(
    'accepted the proposal for The date',
  );
  expect(worded('negotiation_ended', { title: 'The date', status: 'timed_out', round: 1, reason: '' })).toBe(
    'The date timed out in round 1',
  );
  expect(worded('room_message', { message_type: 'question', addressed_to: 'planner@us' })).toBe(
    'wrote a question to planner@us',
  );
  expect(worded('room_message', { message_type: 'message' })).toBe('wrote a message to everyone');
  expect(worded('room_document_read', { name: 'printed.pdf', status: 'ready' })).toBe(
    'the text of printed.pdf is ready',
  );
  expect(worded('room_document_read', { name: 'a.pdf', status: 'failed', reason: 'no_text' })).toBe(
    'the text of a.pdf could not be read: no text',
  );
});

it('what happens elsewhere too, or is not known yet, is none', () => {
  expect(worded('write', { version: 1 })).toBeUndefined();
  expect(worded('negotiation_step', { action: 'ponder' })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { resolutionOf } from './notes.ts';

test('the note of a resolution is known by how it begins', () => {
  expect(resolutionOf('Resolution Note: rolled back')).toEqual({ resolution_notes: 'rolled back' });
  expect(resolutionOf('resolution notes:\nrolled back')).toEqual({ resolution_notes: 'rolled back' });
  expect(resolutionOf('see the Resolution Note: none')).toEqual({});
  expect(resolutionOf(undefined)).toEqual({});
});

import { describe, expect, it } from 'vitest';
import { isSender } from './authorize-sender.ts';

describe('the agents of events from outside', () => {
  it.each(['webhook/github', 'external/ci', 'External/ci', ' webhook/github', 'ＷＥＢＨＯＯＫ/github'])(
    '%j is one of them, or looks like one',
    (name) => {
      expect(isSender(name)).toBe(true);
    },
  );

  it.each(['webhook', 'webhooks/github', 'agent/external/ci', 'externals'])('%j is none', (name) => {
    expect(isSender(name)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { excerptOf, hitsOf, marked, plainText, stemsOf, stemsOfQuestion } from './highlight.ts';

describe('words of a search', () => {
  it('are marked in all their forms', () => {
    const parts = marked('Retry twice; retries cost.', stemsOf('retrying'));
    expect(parts.filter(({ isHit }) => isHit).map(({ text }) => text)).toEqual(['Retry', 'retries']);
    expect(parts.map(({ text }) => text).join('')).toBe('Retry twice; retries cost.');
  });

  it('of a question leave out those that are everywhere', () => {
    expect(stemsOfQuestion('What is the timeout of the gateway?')).toEqual(stemsOf('timeout gateway'));
  });

  it('are counted, also as parts of a name', () => {
    expect(hitsOf('max_attempts attempt', stemsOf('attempts'))).toEqual(new Map([['attempt', 2]]));
  });
});

describe('an excerpt', () => {
  it('reads without the signs of JSON', () => {
    expect(plainText({ order: ['a', 'b'], why: { price: 1 } })).toBe('order: a, b · why: price: 1');
  });

  it('begins near the first hit and says where it was cut', () => {
    const text = `${'before '.repeat(50)}gateway ${'after '.repeat(80)}`;
    const excerpt = excerptOf(text, stemsOf('gateway'));
    expect(excerpt).toMatch(/^… .*gateway.* …$/);
    expect(excerpt.length).toBeLessThan(260);
  });
});

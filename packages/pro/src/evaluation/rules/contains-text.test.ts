import { expect, it } from 'vitest';
import { containsText } from './contains-text.ts';

it('finds what includes finds, in long texts too', () => {
  const text = `${'ab'.repeat(600_000)}c${'ab'.repeat(10)}`;
  for (const part of ['', 'c', 'bcab', `${'ab'.repeat(50)}c`, `${'ab'.repeat(50)}d`, 'aa', `b${'ab'.repeat(40)}b`])
    expect(containsText(text, part), part).toBe(text.includes(part));
});

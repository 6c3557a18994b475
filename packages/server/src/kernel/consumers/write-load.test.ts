import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WriteLoad, weightOf } from './write-load.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a lull is there a moment after the last of many events, and few events do not put it off', () => {
  const load = new WriteLoad();
  vi.advanceTimersByTime(10_000);
  expect(load.calmInMs).toBe(0);
  for (let n = 0; n < 10; n++) {
    load.add(20);
    vi.advanceTimersByTime(20);
  }
  expect(load.calmInMs).toBeGreaterThan(100);
  vi.advanceTimersByTime(100);
  load.add(0);
  expect(load.calmInMs).toBeLessThan(100);
  vi.advanceTimersByTime(100);
  expect(load.calmInMs).toBe(0);
  vi.advanceTimersByTime(500);
  for (let n = 0; n < 20; n++) {
    load.add(10);
    expect(load.calmInMs).toBe(0);
    vi.advanceTimersByTime(20);
  }
});

it('an outcome weighs as much as the entries that it moves', () => {
  const details = (causal_entries: number) => JSON.stringify({ outcome_ref: 'deploy-1', causal_entries });
  expect(weightOf({ event_type: 'outcome', details: details(10) })).toBe(11);
  expect(weightOf({ event_type: 'outcome', details: details(0) })).toBe(1);
  expect(weightOf({ event_type: 'write', details: '{}' })).toBe(1);
});

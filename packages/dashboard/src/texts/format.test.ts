import { describe, expect, it } from 'vitest';
import {
  ago,
  bytes,
  counted,
  day,
  duration,
  fullTimeOf,
  minuteTime,
  money,
  number,
  percent,
  withTimes,
} from './format.ts';

const now = Date.parse('2026-11-17T12:00:00Z');
const before = (ms: number) => ago(now - ms, now);

describe('numbers and times as people read them', () => {
  it('say how long ago something was', () => {
    expect([before(-5), before(59_000), before(60_000), before(7_200_000), before(3 * 86_400_000)]).toEqual([
      'now',
      'now',
      '1 min',
      '2 h',
      '3 d',
    ]);
  });

  it('stand in sentences of the service too', () => {
    const sentence = withTimes('New since 2020-11-17T12:00:01.234Z; 3 of 4 fail.');
    expect(sentence).toMatch(/^New since Nov 1[678], 2020 \d\d:\d\d; 3 of 4 fail\.$/);
  });

  it('have the same figures below zero as above', () => {
    expect([67.5, -67.5, -0.4, -1234.5].map(number)).toEqual(['68', '-68', '0', '-1,235']);
  });

  it('do not say nothing of little', () => {
    expect([0, 0.004, 0.01, 0.426, 1].map(percent)).toEqual(['0 %', '< 1 %', '1 %', '43 %', '100 %']);
  });

  it('say how long something took', () => {
    expect([12.4, 1_400, 59_000, 252_000, 7_500_000].map(duration)).toEqual([
      '12 ms',
      '1.4 s',
      '59 s',
      '4 m 12 s',
      '2 h 5 m',
    ]);
    // No part of it is ever a full 60.
    expect([9_999, 59_999, 119_700, 3_599_999, 7_199_999].map(duration)).toEqual([
      '10 s',
      '1 m 0 s',
      '2 m 0 s',
      '1 h 0 m',
      '2 h 0 m',
    ]);
  });

  it('say when something was', () => {
    const at = new Date(2026, 10, 7, 9, 5, 3).getTime();
    expect([minuteTime(at), fullTimeOf(at), day(at, at), day(at, at + 400 * 86_400_000)]).toEqual([
      '09:05',
      'Nov 7, 2026, 09:05:03',
      'Nov 7',
      'Nov 7, 2026',
    ]);
  });

  it('say how many', () => {
    expect([0, 999, 1000, -1234567, 1234567.6].map(number)).toEqual(['0', '999', '1,000', '-1,234,567', '1,234,568']);
  });

  it('say how large and how dear', () => {
    expect([0, 1023, 1536, 64 * 1024 * 1024].map(bytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '64 MiB']);
    expect([0, 0.004, 0.31, 12.5].map(money)).toEqual(['$0', '$0.004', '$0.31', '$12.50']);
    expect([counted(1, 'entry', 'entries'), counted(1200, 'entry', 'entries')]).toEqual(['1 entry', '1,200 entries']);
  });
});

import { describe, expect, it } from 'vitest';
import { nearness, questionTime } from './question-time.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-11-18T15:30:00Z');
const DAY = 86_400_000;

const cases: [question: string, text: string, since: string, until: string][] = [
  ['what did we decide yesterday?', 'what did we decide?', '2026-11-17', '2026-11-18'],
  ['the day before yesterday the build broke', 'the build broke', '2026-11-16', '2026-11-17'],
  ['outages last week', 'outages', '2026-11-09', '2026-11-16'],
  ['outages in the last 3 days', 'outages', '2026-11-15T15:30:00Z', '2026-11-18T15:30:00.001Z'],
  ['who paid 3 days ago?', 'who paid?', '2026-11-15', '2026-11-16'],
  ['what broke two weeks ago', 'what broke', '2026-11-01T03:30:00Z', '2026-11-08T03:30:00Z'],
  ['releases last month', 'releases', '2026-10-01', '2026-11-01'],
  ['releases this year', 'releases', '2026-01-01', '2026-11-18T15:30:00.001Z'],
  ['what happened on Monday?', 'what happened on Monday?', '2026-11-16', '2026-11-17'],
  ['what happened in March?', 'what happened in March?', '2026-03-01', '2026-04-01'],
  ['what happened in December', 'what happened in December', '2025-12-01', '2026-01-01'],
  ['what happened in March 2024?', 'what happened in March 2024?', '2024-03-01', '2024-04-01'],
  ['what changed since last week?', 'what changed?', '2026-11-09', '2026-11-18T15:30:00.001Z'],
  ['what changed since yesterday?', 'what changed?', '2026-11-17', '2026-11-18T15:30:00.001Z'],
  ['deploys since 2026-05-04', 'deploys since 2026-05-04', '2026-05-04', '2026-11-18T15:30:00.001Z'],
  ['what happened since March?', 'what happened since March?', '2026-03-01', '2026-11-18T15:30:00.001Z'],
  ['deploys on 2026-05-04', 'deploys on 2026-05-04', '2026-05-04', '2026-05-05'],
  ['outages This Week', 'outages', '2026-11-16', '2026-11-18T15:30:00.001Z'],
  ['releases THIS MONTH', 'releases', '2026-11-01', '2026-11-18T15:30:00.001Z'],
  ['outages in the Last 3 Days', 'outages', '2026-11-15T15:30:00Z', '2026-11-18T15:30:00.001Z'],
  ['recent outages', 'outages', '2026-11-04T15:30:00Z', '2026-11-18T15:30:00.001Z'],
  ['who paid on March 5?', 'who paid on March 5?', '2026-03-05', '2026-03-06'],
  ['who paid on december 5th, 2024?', 'who paid on december 5th, 2024?', '2024-12-05', '2024-12-06'],
  ['who paid on December 5?', 'who paid on December 5?', '2025-12-05', '2025-12-06'],
  ['who paid on 5 March?', 'who paid on 5 March?', '2026-03-05', '2026-03-06'],
  ['who paid on 20 December?', 'who paid on 20 December?', '2025-12-20', '2025-12-21'],
  ['who paid on the 5th of December 2024?', 'who paid on the 5th of December 2024?', '2024-12-05', '2024-12-06'],
  ['outages between 3 March and 5 May', 'outages between 3 March and 5 May', '2026-03-03', '2026-05-06'],
  ['outages before the 4th of May', 'outages before the 4th of May', '1970-01-01', '2026-05-04'],
  ['outages in 2025', 'outages in 2025', '2025-01-01', '2026-01-01'],
  ['outages between March and May', 'outages between March and May', '2026-03-01', '2026-06-01'],
  ['outages between November and February', 'outages between November and February', '2025-11-01', '2026-03-01'],
  [
    'outages between 2024-02-03 and 2024-03-01',
    'outages between 2024-02-03 and 2024-03-01',
    '2024-02-03',
    '2024-03-02',
  ],
  ['outages from Monday to Tuesday', 'outages from Monday to Tuesday', '2026-11-16', '2026-11-18'],
  ['outages before Friday', 'outages before Friday', '1970-01-01', '2026-11-13'],
  ['outages after May 2025', 'outages after May 2025', '2025-06-01', '2026-11-18T15:30:00.001Z'],
  ['deploys today', 'deploys', '2026-11-18', '2026-11-18T15:30:00.001Z'],
];

describe('a time in a question', () => {
  it.each(cases)('%s', (question, text, ...span) => {
    const { time, ...rest } = questionTime(question, NOW);
    expect(rest.text).toBe(text);
    expect([time?.since, time?.until]).toEqual(span.map((day) => Date.parse(day)));
    expect(question.toLowerCase()).toContain(time?.phrase.toLowerCase());
  });

  it.each([
    'who may deploy?',
    'the 3 days plan',
    'last resort',
    'yesterdays',
    '2026-99-99',
    'room 2025',
    'on March 45',
    'on 45 March',
    'step 5 may fail',
    'a may in the garden',
  ])('is not found in: %s', (question) => {
    expect(questionTime(question, NOW)).toEqual({ text: question, time: null });
  });

  it.each(['What was written today?', 'yesterday?', "what's new this week", 'what happened in March?'])(
    'is all that is asked for in: %s',
    (question) => expect(questionTime(question, NOW)).toMatchObject({ isOnlyTime: true }),
  );

  it.each(cases)('stays in the question where it has a name: %s', (question, text) => {
    expect(questionTime(question, NOW).time?.isNamed ?? false).toBe(question === text);
  });

  it('is not all that is asked for where something else is named', () => {
    expect(questionTime('what did we decide yesterday?', NOW).isOnlyTime).toBeUndefined();
  });

  it('stays in a question that is nothing else', () => {
    expect(questionTime('yesterday?', NOW)).toMatchObject({ text: 'yesterday?', time: { phrase: 'yesterday' } });
  });

  it('is read in a moment, however long the question is', () => {
    const started = performance.now();
    questionTime('in the last '.repeat(340), NOW);
    questionTime(' the'.repeat(1000), NOW);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('nearness to a time', () => {
  const time = { since: NOW - DAY, until: NOW };
  it('is whole within it, and falls with the distance on both sides', () => {
    expect(nearness(time, NOW - 1)).toBe(1);
    expect(nearness(time, NOW - DAY)).toBe(1);
    expect(nearness(time, NOW - 2 * DAY)).toBeCloseTo(0.5);
    expect(nearness(time, NOW + DAY)).toBeCloseTo(0.5, 3);
    expect(nearness(time, NOW - 30 * DAY)).toBeLessThan(1e-8);
  });
});

import { describe, expect, it } from 'vitest';
import { AT, lines, page, shown } from './answers.ts';

const rate = (count: number, of: number, [low, high]: [number, number] = [0, 1]) => ({
  ...{ rate: of === 0 ? null : count / of, low, high, count, of },
});
const counts = { pass: 3, fail: 1, error: 0, skipped: 2, pass_rate: rate(3, 4, [0.301, 0.954]) };
const judge = {
  ...{ judge_id: 'starter-cost', version: 1, name: 'Cost', description: 'At most a dollar.', status: 'active' },
  ...{
    for_agent: null,
    for_path: null,
    sampling_rate: 1,
    evidence_weight: 0,
    agent_id: 'a',
    created_at: AT,
    updated_at: AT,
  },
  definition: { kind: 'code', checks: [{ check: 'most', of: 'cost_usd', limit: 1 }] },
};

describe('evaluation is shown', () => {
  it('with judges by what they look for, without their checks', () => {
    const text = shown('judges.list', { judges: [judge], ...page });
    expect(text).toContain('starter-cost');
    expect(text).toContain('At most a dollar.');
    expect(text).not.toContain('{');
    expect(shown('judges.seed', { created: [judge], existing: ['starter-answers', 'starter-duration'] })).toBe(
      `${text}2 judges were there already\n`,
    );
  });

  it('with shares and their intervals', () => {
    const part = { since: AT, until: AT, pass: 3, fail: 1, pass_rate: counts.pass_rate };
    const summary = {
      ...{ since: AT, until: AT, complete_since: null, traces: 4, overruled: 0, ...counts },
      judges: [{ judge_id: 'starter-cost', ...counts }],
      agents: [{ agent_id: 'bot', traces: 4, ...counts }],
      trend: [part],
      change: { earlier: rate(0, 2), later: rate(2, 2), difference: 1, low: 0, high: 1, p: 0.3 },
    };
    const text = shown('verdicts.summarize', summary);
    expect(text).toContain('passed  75 % (30-95) of 4 verdicts\n');
    expect(text).toContain('change  0 % (0-100) in the first half, 100 % (0-100) in the second, which may be chance\n');
    expect(text).toMatch(/^JUDGE +PASSED +PASS +FAIL +ERROR +SKIPPED\nstarter-cost +75 % \(30-95\) +3 +1 +0 +2$/m);
    expect(text).toMatch(/^bot +75 % \(30-95\)/m);
    expect(text).not.toMatch(/complete|overruled/);
    const few = { ...summary, complete_since: AT, overruled: 1, change: { ...summary.change, p: 0.01 } };
    const more = shown('verdicts.summarize', few);
    expect(more).toMatch(/^overruled +1$/m);
    expect(more).toMatch(/^complete +since 2026-01-31/m);
    expect(more).not.toContain('chance');
    const none = { ...summary, traces: 0, judges: [], agents: [], change: null };
    expect(shown('verdicts.summarize', none)).toMatch(/^no verdicts from 2026-01-31.* to 2026-01-31.*\n$/);
  });

  it('with how good a judge is', () => {
    const detection = {
      ...{ judge_id: 'starter-cost', judge_version: 2, labelled: 11, undecided: 1, complete: true },
      confusion: { true_fail: 3, false_fail: 1, true_pass: 4, false_pass: 2 },
      ...{ precision: rate(3, 4), recall: rate(3, 5), agreement: rate(7, 10), kappa: 0.4, judges: [] },
    };
    const head = [
      'judge      starter-cost, version 2',
      'labelled   11 traces, 1 of them not judged or skipped',
      'precision  75 % (0-100): people fail 3 of 4 that it failed',
      'recall     60 % (0-100): it failed 3 of 5 that people fail',
      'agreement  70 % (0-100), kappa 0.40',
    ];
    expect(shown('judges.detection_rate', detection)).toBe(lines(...head));
    const other = { judge_id: 'starter-answers', agreement: rate(0, 0), kappa: null };
    expect(shown('judges.detection_rate', { ...detection, judges: [other] })).toMatch(/starter-answers +– +0 +–\n$/);
  });
});

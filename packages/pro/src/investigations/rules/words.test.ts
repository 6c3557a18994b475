import { describe, expect, it } from 'vitest';
import { aboutChanges, aboutSegments, aboutSuspects, causesAmong, summaryOf } from './words.ts';

const LIMIT = { entity_path: 'billing', key: 'limit', version: 2, written_by: 'agent/writer' };
const AT = '2026-01-02T03:04:05.000Z';
const suspect = {
  ...{ ...LIMIT, newest_version: 2, deleted: false, written_at: AT },
  ...{ with_it: { count: 10, of: 12 }, explained_by: null },
};
const segment = (dimension: string, value: unknown) => ({
  ...{ dimension, value, fails: { count: 9, of: 10 }, rest: { count: 1, of: 14 }, differs: 'worse' },
});
const fails = { count: 10, of: 24 };

describe('an investigation in words', () => {
  it('names the version that is suspect, who wrote it and when, and who read it', () => {
    const sentence = 'The suspect is version 2 of billing/limit, written by agent/writer on';
    const counts = { failed: 10, passed: 14 };
    const read = '10 of 10 failing runs read it, against 2 of 14 others.';
    expect(aboutSuspects({ suspects: [suspect], ...counts })).toBe(`${sentence} ${AT}: ${read}`);
    expect(aboutSuspects({ suspects: [{ ...suspect, newest_version: 3 }], ...counts })).toContain(
      'is now at version 3.',
    );
    const other = { ...suspect, key: 'rate', version: 7, with_it: { count: 3, of: 4 } };
    expect(aboutSuspects({ suspects: [suspect, other], ...counts })).toContain(
      'Also suspect, though less surely: version 7 of billing/rate, written by agent/writer (3 of 10 failing runs read it',
    );
  });

  it('says plainly that no memory is suspect', () => {
    expect(aboutSuspects({ suspects: [], failed: 3, passed: 9 })).toMatch(/^No memory is suspect: /);
    const explained = { ...suspect, explained_by: { dimension: 'tool_name', value: 'pay' } };
    expect(aboutSuspects({ suspects: [explained], failed: 3, passed: 9 })).toMatch(/^No memory is suspect by itself: /);
  });

  it('offers no segment as a cause that only restates the failure, and none twice', () => {
    const restating = ['has_error', 'outcome_type', 'attributes.error_kind', 'attributes.outcome'];
    const named = [...restating, 'attributes.release', 'model', 'attributes.model'].map((name) => segment(name, '2.0'));
    expect(causesAmong(named).map(({ dimension }) => dimension)).toEqual(['attributes.release', 'model']);
  });

  it('names segments as people do', () => {
    const sentence = (dimension: string, value: unknown) =>
      aboutSegments({ fails, segments: [segment(dimension, value)] });
    expect(sentence('attributes.release', '2.0')).toBe(
      '10 of 24 runs failed. These fail more often than others: runs with release 2.0 (9 of 10 failed, against 1 of 14 of the others).',
    );
    expect(sentence('tool_name', 'refund')).toContain('runs with calls of refund (');
    expect(sentence('weekday', 'Monday')).toContain('runs on Mondays (');
  });

  it('is answered with the suspect first, and each thing once', () => {
    const segments = { fails, segments: [segment('path', 'billing'), segment('attributes.release', '2.0')] };
    const change = (version: number) => ({
      ...{ ...LIMIT, version, branch: 'main', written_at: AT, failing_readers: 10, passing_readers: 2 },
    });
    const changes = {
      ...{ began_at: AT, before: { failed: 0, of: 12 }, since: { failed: 10, of: 12 } },
      changes: [change(2), change(9)],
    };
    const answer = summaryOf([
      { step: 'segments', found: 'x', besides: (named) => aboutSegments(segments, named) },
      { step: 'attribution', found: aboutSuspects({ suspects: [suspect], failed: 10, passed: 14 }), suspect },
      { step: 'divergence', found: 'They part.' },
      { step: 'memory_changes', found: 'y', besides: (named) => aboutChanges(changes, named) },
    ]);
    expect(answer).toMatch(/^The suspect is version 2 of billing\/limit/);
    expect(answer).not.toContain('runs that read billing');
    expect(answer.match(/version 2 of/g)).toHaveLength(1);
    expect(answer).toContain('No run had read the suspect before. Nor had any run read version 9 of billing/limit');
    expect(summaryOf([])).toBe('Nothing was looked at.');
  });
});

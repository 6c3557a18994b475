import { keyProblem } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrastLessons, type LessonAttempt, type LessonOutcome, lessonKey } from './lesson.ts';

const cause = (key: string, entity_path = 'p') => ({ entity_path, key });
const failed = (more: Partial<LessonAttempt> = {}): LessonAttempt => ({
  outcome_type: 'minor_failure',
  causes: [cause('wrong')],
  ...more,
});
const outcome = (more: Partial<LessonOutcome> = {}): LessonOutcome => ({
  outcome_ref: 'DEP-7',
  outcome_type: 'success',
  causes: [cause('right')],
  attributes: {},
  attempts: [failed()],
  ...more,
});

const contrastLesson = (one: LessonOutcome) => contrastLessons(one)[0];

describe('a contrast lesson', () => {
  it('says what failed, what worked in the end and how it went', () => {
    const attempts = [
      failed({ actions: ['restart'], summary: 'came back the same' }),
      failed({ causes: [], actions: ['rollback'], summary: ' ' }),
    ];
    expect(contrastLesson(outcome({ attempts, actions: ['raise the limit'] }))).toEqual({
      entity_path: 'p',
      key: 'lesson-contrast-DEP-7',
      confidence: 0.8,
      memory_type: 'experience',
      shared: true,
      value: {
        avoid: [{ entity_path: 'p', key: 'wrong' }, { action: 'restart' }, { action: 'rollback' }],
        resolved_with: [{ entity_path: 'p', key: 'right' }, { action: 'raise the limit' }],
        attempt_summaries: ['came back the same'],
        outcome_ref: 'DEP-7',
      },
    });
  });

  it('is made only for a success after failures', () => {
    expect(contrastLesson(outcome({ outcome_type: 'clean_deploy' }))).toBeDefined();
    expect(contrastLesson(outcome({ outcome_type: 'failure' }))).toBeUndefined();
    expect(contrastLesson(outcome({ attempts: [] }))).toBeUndefined();
    expect(contrastLesson(outcome({ attempts: [failed({ outcome_type: 'success' })] }))).toBeUndefined();
  });

  it('is not made of a replay', () => {
    expect(contrastLesson(outcome({ attributes: { replay_delivery_id: 'd' } }))).toBeUndefined();
    expect(contrastLesson(outcome({ attributes: { origin: 'repair' } }))).toBeUndefined();
  });

  it('does not warn of what the success used too', () => {
    const attempts = [failed({ causes: [cause('wrong'), cause('right')], actions: ['deploy', 'restart'] })];
    expect(contrastLesson(outcome({ attempts, actions: ['deploy'] }))?.value.avoid).toEqual([
      cause('wrong'),
      { action: 'restart' },
    ]);
  });

  it('is not made without a difference and a summary', () => {
    const same = failed({ causes: [cause('right')] });
    expect(contrastLesson(outcome({ attempts: [same] }))).toBeUndefined();
    expect(contrastLesson(outcome({ attempts: [{ ...same, summary: 'too early' }] }))?.value).toMatchObject({
      avoid: [],
      attempt_summaries: ['too early'],
    });
  });

  it('goes where things failed, first where most causes of the success are, of equals the first named', () => {
    const pathsOf = (...causes: LessonOutcome['causes']) => {
      const attempts = ['p', 'x', 'y'].map((path) => failed({ causes: [cause('wrong', path)] }));
      return contrastLessons(outcome({ causes, attempts })).map(({ entity_path }) => entity_path);
    };
    expect(pathsOf(cause('a', 'x'), cause('b', 'y'), cause('c', 'y'))).toEqual(['y', 'x', 'p']);
    expect(pathsOf(cause('a', 'x'), cause('b', 'y'))).toEqual(['x', 'y', 'p']);
    expect(pathsOf(cause('a', 'x'), cause('b', 'y'), cause('b', 'y'))).toEqual(['x', 'y', 'p']);
    expect(pathsOf()).toEqual(['p', 'x', 'y']);
  });

  it('goes nowhere without any cause, and only to a few of very many paths', () => {
    const none = [failed({ causes: [], summary: 'no idea' })];
    expect(contrastLesson(outcome({ causes: [], attempts: none }))).toBeUndefined();
    const many = Array.from({ length: 40 }, (_, n) => cause('wrong', `p${n}`));
    expect(contrastLessons(outcome({ attempts: [failed({ causes: many })] }))).toHaveLength(10);
  });

  it('names nothing of another path: no entry, and no text that may be about one', () => {
    const attempts = [
      failed({ causes: [cause('a', 'in'), cause('b', 'out')], actions: ['both'], summary: 'of both' }),
      failed({ causes: [cause('c', 'in')], actions: ['inner'], summary: 'of in' }),
      failed({ causes: [cause('d', 'out')], actions: ['outer'], summary: 'of out' }),
      failed({ causes: [], actions: ['any'], summary: 'of anything' }),
    ];
    const causes = [cause('right', 'in'), cause('also', 'out')];
    const lessons = contrastLessons(outcome({ causes, attempts, actions: ['end'] }));
    expect(lessons.map(({ entity_path, value }) => [entity_path, value])).toEqual([
      [
        'in',
        {
          avoid: [cause('a', 'in'), cause('c', 'in'), { action: 'inner' }],
          resolved_with: [cause('right', 'in')],
          attempt_summaries: ['of in'],
          outcome_ref: 'DEP-7',
        },
      ],
      [
        'out',
        {
          avoid: [cause('b', 'out'), cause('d', 'out'), { action: 'outer' }],
          resolved_with: [cause('also', 'out')],
          attempt_summaries: ['of out'],
          outcome_ref: 'DEP-7',
        },
      ],
    ]);
  });

  it('is private if it names an entry that is', () => {
    const secret = { ...cause('wrong'), shared: false };
    expect(contrastLesson(outcome({ attempts: [failed({ causes: [secret] })] }))?.shared).toBe(false);
    expect(contrastLesson(outcome({ causes: [{ ...cause('right'), shared: false }] }))?.shared).toBe(false);
  });

  it('holds each item once, and no more than can be read', () => {
    const many = Array.from({ length: 80 }, (_, n) => cause(`k${n}`));
    const attempts = [failed({ causes: [...many, ...many], summary: '😀'.repeat(3000) })];
    const value = contrastLesson(outcome({ attempts }))?.value;
    expect(value?.avoid).toEqual(many.slice(-50));
    expect(value?.attempt_summaries).toEqual([`${'😀'.repeat(1000)}…`]);
  });
});

describe('the key of a lesson', () => {
  it('is the reference where that can be a key', () => {
    for (const ref of ['DEP-7', 'v1.2.3', 'jira:OPS-12', 'Straße', '事件-4'])
      expect(lessonKey(ref)).toBe(`lesson-contrast-${ref}`);
  });

  it('distinguishes references that had to be changed', () => {
    const keys = ['a b', 'a/b', 'a-b', 'a\tb', 'a  b', `a-b${lessonKey('a b').slice(-14)}`].map(lessonKey);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^lesson-contrast-a-b(-[0-9a-z]{13})*$/);
    const long = 'x'.repeat(300);
    expect(lessonKey(`${long}1`)).not.toBe(lessonKey(`${long}2`));
    expect(lessonKey('\u0065\u0301')).not.toBe(lessonKey('\u00e9'));
  });

  it('is a valid key for every reference, and another for each', () => {
    const refs = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(
      fc.property(refs, refs, (one, other) => {
        const key = lessonKey(one);
        expect(keyProblem(key)).toBeUndefined();
        expect(key.normalize('NFC')).toBe(key);
        expect(key.startsWith('lesson-contrast-')).toBe(true);
        expect(key === lessonKey(other)).toBe(one === other);
      }),
    );
    expect(keyProblem(lessonKey('\ud800'))).toBeUndefined();
    expect(keyProblem(lessonKey('語'.repeat(500)))).toBeUndefined();
    for (const ref of ['𝒳'.repeat(500), `a${'𝒳'.repeat(500)}`]) expect(keyProblem(lessonKey(ref))).toBeUndefined();
  });
});

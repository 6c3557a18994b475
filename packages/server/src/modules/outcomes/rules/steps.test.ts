import { describe, expect, it } from 'vitest';
import { type Cause, causeKeyText } from './causes.ts';
import * as steps from './steps.ts';
import { isReplay, type LiveEntry, type Outcome } from './steps.ts';

const cause = (key: string, read: Pick<Cause, 'version' | 'content_hash'> = {}): Cause => ({
  entity_path: 'p',
  key,
  ...read,
});
const live = (key: string, version = 1, content_hash = `hash of ${key}`): LiveEntry => ({
  entity_path: 'p',
  key,
  version,
  content_hash,
});
const outcome = (more: Partial<Outcome> = {}): Outcome => ({
  outcome_type: 'success',
  causal_confidence: 0.9,
  attributes: {},
  attempts: [],
  causes: [],
  ...more,
});
const applied = (key: string) => expect.objectContaining({ entity_path: 'p', key, status: 'applied', reason: null });
const skipped = (key: string, reason: string) =>
  expect.objectContaining({ entity_path: 'p', key, status: 'skipped', reason });

function planSteps(planned: Outcome, entries: readonly LiveEntry[]) {
  const named = new Map(entries.map((entry) => [causeKeyText(entry), entry]));
  return steps.planSteps(planned, (read) => named.get(causeKeyText(read)));
}

const resultOf = (read: Cause, ...entries: LiveEntry[]) =>
  planSteps(outcome({ causes: [read] }), entries)[0]?.causes[0];

describe('the steps of an outcome', () => {
  it('are the attempts, oldest first, each on its own causes, and then the end', () => {
    const steps = planSteps(
      outcome({
        causes: [cause('c')],
        attempts: [
          { outcome_type: 'minor_failure', causes: [cause('a'), cause('b')] },
          { outcome_type: 'p2_incident', causes: [cause('b')] },
        ],
      }),
      [live('a'), live('b'), live('c')],
    );
    expect(steps).toEqual([
      {
        attempt: 1,
        outcome_type: 'minor_failure',
        causal_confidence: 0.9,
        n_causal: 2,
        causes: [applied('a'), applied('b')],
      },
      { attempt: 2, outcome_type: 'p2_incident', causal_confidence: 0.9, n_causal: 1, causes: [applied('b')] },
      { attempt: null, outcome_type: 'success', causal_confidence: 0.9, n_causal: 1, causes: [applied('c')] },
    ]);
  });

  it('count each entry once, also one that is skipped', () => {
    const [step] = planSteps(outcome({ causes: [cause('a'), cause('gone'), cause('a')] }), [live('a')]);
    expect(step).toMatchObject({ n_causal: 2, causes: [applied('a'), skipped('gone', 'not_found')] });
  });

  it('are there without causes too', () => {
    expect(planSteps(outcome(), [])).toMatchObject([{ attempt: null, n_causal: 0, causes: [] }]);
  });

  it('distinguish entries of different paths', () => {
    const causes = [
      { entity_path: 'p/q', key: 'k' },
      { entity_path: 'p', key: 'q/k' },
    ];
    const [step] = planSteps(outcome({ causes }), [{ ...live('k'), entity_path: 'p/q' }]);
    expect(step).toMatchObject({ n_causal: 2, causes: [{ status: 'applied' }, { status: 'skipped' }] });
  });
});

describe('a cause', () => {
  it('is applied where only its name is known', () => {
    expect(resultOf(cause('a'), live('a', 7))).toEqual(applied('a'));
  });

  it('is applied where the version that was read is still there', () => {
    expect(resultOf(cause('a', { version: 7 }), live('a', 7))).toEqual(applied('a'));
  });

  it('is applied where another version says what was read', () => {
    expect(resultOf(cause('a', { version: 3, content_hash: 'h' }), live('a', 7, 'h'))).toEqual(applied('a'));
  });

  it('is skipped where the value is no longer what was read', () => {
    const read = cause('a', { version: 3, content_hash: 'h' });
    expect(resultOf(read, live('a', 7, 'other'))).toEqual(skipped('a', 'value_changed'));
    expect(resultOf(cause('a', { version: 3 }), live('a', 7))).toEqual(skipped('a', 'value_changed'));
  });

  it('is skipped where the entry was erased and its number is another claim now', () => {
    const read = cause('a', { version: 1, content_hash: 'h' });
    expect(resultOf(read, live('a', 1, 'other'))).toEqual(skipped('a', 'value_changed'));
  });

  it('is applied where one of several readings was of what is there', () => {
    const causes = [cause('a', { version: 1, content_hash: 'old' }), cause('a', { version: 2, content_hash: 'new' })];
    expect(planSteps(outcome({ causes }), [live('a', 2, 'new')])[0]).toMatchObject({
      n_causal: 1,
      causes: [applied('a')],
    });
  });

  it('is skipped where there is no such entry', () => {
    expect(resultOf(cause('a'), live('b'))).toEqual(skipped('a', 'not_found'));
  });
});

describe('a replay', () => {
  it('is recognised by its attributes', () => {
    expect(isReplay({ replay_delivery_id: 'd-1' })).toBe(true);
    expect(isReplay({ origin: 'repair' })).toBe(true);
    for (const attributes of [{}, { origin: 'agent' }, { replay_delivery_id: null }, { case_id: 'c' }])
      expect(isReplay(attributes)).toBe(false);
    expect(isReplay(Object.create({ origin: 'repair' }))).toBe(false);
  });

  it('is evidence of nothing', () => {
    const attempts = [{ outcome_type: 'failure' as const, causes: [cause('a')] }];
    const steps = planSteps(outcome({ attributes: { origin: 'repair' }, attempts, causes: [cause('a'), cause('b')] }), [
      live('a'),
    ]);
    expect(steps.map(({ causes }) => causes)).toEqual([
      [skipped('a', 'replayed')],
      [skipped('a', 'replayed'), skipped('b', 'replayed')],
    ]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNTOUCHED } from '../../entries/standing.ts';
import { OUTCOME_TYPES, type OutcomeType } from './outcome-types.ts';
import { applyStep, type EvidenceStep, type Trust } from './posterior.ts';
import {
  buildStory,
  type LifeEvent,
  type LifeVersion,
  type RecordedOutcome,
  type VersionWritten,
  versionsWritten,
} from './story.ts';

const buildUntouchedStory = (life: readonly LifeEvent[]) => buildStory(life, UNTOUCHED);

const written = (confidence: number, more: Partial<VersionWritten> = {}): VersionWritten => ({
  kind: 'written',
  version: 1,
  confidence,
  same_claim: false,
  at: 1,
  agent_id: 'agent/author',
  ...more,
});

/** The ledger line of a step applied to `before`. */
function recorded(before: Trust, type: OutcomeType, more: Partial<RecordedOutcome> = {}): RecordedOutcome {
  const model = more.model ?? 'evidence';
  const step: EvidenceStep = {
    outcome_type: type,
    causal_confidence: 1,
    n_causal: 1,
    agent_id: 'agent/deploy-bot',
    at: 2,
    ...more,
  };
  return {
    ...step,
    kind: 'outcome',
    model,
    before: before.confidence,
    after: applyStep(model, before, step).confidence,
    ...more,
  };
}

/** Appends outcomes to a life as commits would. */
const grow = (life: LifeEvent[], type: OutcomeType, more: Partial<RecordedOutcome> = {}): LifeEvent[] => [
  ...life,
  recorded(buildUntouchedStory(life), type, more),
];

const lastWhy = (life: LifeEvent[]) => buildUntouchedStory(life).steps.at(-1)?.why;

describe('the story of an entry', () => {
  it('begins with the claim as it was written', () => {
    expect(buildUntouchedStory([written(0.7)])).toEqual({
      confidence: 0.7,
      standing: UNTOUCHED,
      agrees: true,
      steps: [
        {
          kind: 'written',
          at: 1,
          agent_id: 'agent/author',
          before: null,
          after: 0.7,
          why: 'written by agent/author in version 1: 0.70',
          agrees: true,
        },
      ],
    });
  });

  it('says of each outcome what it did', () => {
    const story = buildUntouchedStory(grow([written(0.7)], 'success'));
    expect(story.confidence).toBeCloseTo(0.8182, 4);
    expect(story.standing).toMatchObject({ outcome_count: 1, prior_confidence: 0.7, validators: ['agent/deploy-bot'] });
    expect(story.steps[1]).toEqual({
      kind: 'outcome',
      at: 2,
      agent_id: 'agent/deploy-bot',
      before: 0.7,
      after: story.confidence,
      why: 'success of agent/deploy-bot (weight 1.30): 0.70 -> 0.82',
      agrees: true,
    });
  });

  it('says why a step was as light or heavy as it was', () => {
    expect(lastWhy(grow([written(0.7)], 'minor_failure', { n_causal: 4 }))).toBe(
      'minor failure of agent/deploy-bot (weight 0.64, one of 4 causes): 0.70 -> 0.53',
    );
    expect(lastWhy(grow([written(0.7)], 'regression', { model: 'multiplicative', n_causal: 4 }))).toBe(
      'regression of agent/deploy-bot (times 0.92): 0.70 -> 0.64',
    );
    let life: LifeEvent[] = [written(0.7)];
    for (let n = 0; n < 4; n++) life = grow(life, 'success');
    life = grow(life, 'failure');
    expect(lastWhy(life)).toBe('failure of agent/deploy-bot (weight 2.00, first failure): 0.89 -> 0.62');
    life = grow(life, 'failure');
    expect(lastWhy(life)).toBe('failure of agent/deploy-bot (weight 3.23): 0.62 -> 0.40, now discredited');
    life = grow(life, 'success');
    expect(lastWhy(life)).toBe('success of agent/deploy-bot (weight 1.60): 0.40 -> 0.52, no longer discredited');
    expect(lastWhy(grow(life, 'success'))).not.toContain('discredited');
  });

  it('starts over when the value is changed', () => {
    const life = [...grow([written(0.7)], 'failure'), written(0.9, { version: 2, at: 3 })];
    const { confidence, standing, steps } = buildUntouchedStory(life);
    expect([confidence, standing]).toEqual([0.9, UNTOUCHED]);
    expect(steps.at(-1)).toMatchObject({
      before: steps[1]?.after,
      after: 0.9,
      why: 'changed by agent/author in version 2: begins anew at 0.90',
    });
    const next = buildUntouchedStory(grow(life, 'success'));
    expect(next.standing).toMatchObject({ prior_confidence: 0.9, failure_count: 0 });
  });

  it('keeps what was learnt when the claim is restated', () => {
    const learnt = grow([written(0.7)], 'success');
    const life = [...learnt, written(0.2, { version: 2, same_claim: true })];
    const { confidence, standing } = buildUntouchedStory(learnt);
    expect(buildUntouchedStory(life)).toMatchObject({ confidence, standing });
    expect(lastWhy(life)).toBe('restated by agent/author in version 2 with 0.20: what was learnt stays, 0.82');
  });

  it('takes the restated confidence where nothing was learnt', () => {
    const life = [written(0.7), written(0.2, { version: 2, same_claim: true })];
    expect(buildUntouchedStory(life)).toMatchObject({ confidence: 0.2, standing: UNTOUCHED });
    expect(lastWhy(life)).toBe('restated by agent/author in version 2: 0.70 -> 0.20');
  });

  it('finds the one row of a ledger that is not right', () => {
    const life = grow(grow(grow([written(0.7)], 'success'), 'success'), 'failure');
    expect(buildUntouchedStory(life).agrees).toBe(true);
    for (const wrong of ['after', 'before'] as const) {
      const bent = life.map((event, at) => (at === 2 ? ({ ...event, [wrong]: 0.5 } as LifeEvent) : event));
      const story = buildUntouchedStory(bent);
      expect(story.agrees).toBe(false);
      expect(story.steps.map(({ agrees }) => agrees)).toEqual([true, true, false, true]);
      expect(story.confidence).toBe(buildUntouchedStory(life).confidence);
    }
  });

  it('needs a version before an outcome', () => {
    const outcome = grow([written(0.7)], 'success')[1] as LifeEvent;
    expect(() => buildUntouchedStory([outcome])).toThrow(RangeError);
    expect(() => buildUntouchedStory([])).toThrow(RangeError);
  });

  it('is to the last bit what was done step by step, with all in store between', () => {
    const events = fc.oneof(
      fc.record({
        kind: fc.constant('written' as const),
        confidence: fc.double({ min: 1e-12, max: 1, noNaN: true }),
        same_claim: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('outcome' as const),
        model: fc.constantFrom('evidence' as const, 'multiplicative' as const),
        outcome_type: fc.constantFrom(...(Object.keys(OUTCOME_TYPES) as OutcomeType[])),
        causal_confidence: fc.double({ min: 0, max: 1, noNaN: true }),
        n_causal: fc.integer({ min: 1, max: 9 }),
        agent_id: fc.constantFrom('agent/a', 'agent/b'),
      }),
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (list) => {
        let live: Trust = { confidence: 0.7, standing: UNTOUCHED };
        const life: LifeEvent[] = [written(0.7)];
        list.forEach((event, at) => {
          if (event.kind === 'written') {
            life.push(written(event.confidence, { same_claim: event.same_claim, version: at + 2, at }));
            if (!event.same_claim) live = { confidence: event.confidence, standing: UNTOUCHED };
            else if (live.standing.outcome_count === 0) live = { ...live, confidence: event.confidence };
          } else {
            const before = live.confidence;
            const { confidence, standing } = applyStep(event.model, live, { ...event, at });
            live = JSON.parse(JSON.stringify({ confidence, standing }));
            life.push({ ...event, at, before, after: confidence });
          }
        });
        const story = buildUntouchedStory(JSON.parse(JSON.stringify(life)));
        expect(story.agrees).toBe(true);
        expect({ confidence: story.confidence, standing: story.standing }).toStrictEqual(live);
        expect(story.steps).toHaveLength(life.length);
      }),
    );
  });
});

describe('the claims of versions', () => {
  const version = (n: number, content_hash: string, more: Partial<LifeVersion> = {}): LifeVersion => ({
    version: n,
    confidence: 0.5,
    agent_id: 'agent/author',
    written_at: n * 10,
    deleted: 0,
    ttl_at: null,
    content_hash,
    ...more,
  });
  const claims = (...versions: LifeVersion[]) =>
    versionsWritten(versions).map(({ version, same_claim }) => [version, same_claim]);

  it('are the same as before where the value is', () => {
    expect(claims(version(1, 'a'), version(2, 'a'), version(3, 'b'), version(4, 'a'))).toEqual([
      [1, false],
      [2, true],
      [3, false],
      [4, false],
    ]);
    expect(versionsWritten([version(1, 'a')])).toEqual([written(0.5, { at: 10 })]);
  });

  it('are new after a deletion, which is none itself', () => {
    expect(claims(version(1, 'a'), version(2, 'a', { deleted: 1 }), version(3, 'a'))).toEqual([
      [1, false],
      [3, false],
    ]);
  });

  it('are new where the one before had expired', () => {
    expect(claims(version(1, 'a', { ttl_at: 20 }), version(2, 'a'))).toEqual([
      [1, false],
      [2, false],
    ]);
    expect(claims(version(1, 'a', { ttl_at: 21 }), version(2, 'a'))).toEqual([
      [1, false],
      [2, true],
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { brier, calibrationError, deciles, fitLogistic } from '../../bench/retrieval/calibration.mjs';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { caughtUp } from './caught-up.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

const memories = [
  'Maria is allergic to peanuts and carries an injector.',
  'Jonas runs a marathon every spring.',
  'Checkout returned errors because the connection pool was exhausted.',
  'Backups of the database run every night at two.',
  'The TLS certificate is renewed automatically each month.',
];

describe.each(backends)('the chance that memory holds the answer, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const ask = (query: string, as: object = B, more: object = {}) =>
    app.call('entries.retrieve', { query, ...more }, as);
  const chance = async (...asked: Parameters<typeof ask>) => Number((await ask(...asked)).answerability.chance);

  it('is none in an empty memory', async () => {
    expect((await ask('when do the backups run?')).answerability).toEqual({
      ...{ chance: 0, signs: { meaning: null, words: 0, margin: null, neighbours: 0 } },
    });
  });

  it('is high where an entry answers, by its words or its meaning, and low where none does', async () => {
    for (const [at, value] of memories.entries())
      await app.call('entries.write', { entity_path: 'notes', key: `n${at}`, value }, A);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await caughtUp(app);
      expect(await chance('when do the database backups run?')).toBeGreaterThan(0.9);
      const none = await chance('who painted the ceiling of the chapel?');
      expect(none).toBeLessThan(0.2);
      expect(await chance('nuts allergy')).toBeGreaterThan(2 * none);
    }
  });

  it('says what it is made of, and is made of less where meaning is not compared', async () => {
    const { answerability } = await ask('when do the database backups run?');
    expect(answerability.signs).toEqual({
      ...{ meaning: expect.any(Number), words: expect.any(Number), margin: expect.any(Number), neighbours: 0 },
    });
    expect(answerability.signs.words).toBeGreaterThan(0.9);
    const byWords = await ask('when do the database backups run?', B, { semantic_weight: 0 });
    expect(byWords.answerability).toMatchObject({ signs: { meaning: null, margin: null } });
    expect(byWords.answerability.chance).toBeGreaterThan(0.9);
    expect(await chance('what did she paint?', B, { semantic_weight: 0 })).toBeLessThan(0.3);
  });

  it('is not moved, and neither is a score or a count, by nearly the same entry of another agent alone', async () => {
    const questions = ['when do the database backups run?', 'nuts allergy', 'who painted the ceiling of the chapel?'];
    const before = await Promise.all(questions.map((question) => ask(question)));
    const stats = await app.call('stats.read', {}, B);
    const secrets = [...memories.slice(0, 4), 'Michelangelo painted the ceiling of the chapel.'];
    for (const [at, value] of secrets.entries())
      await app.call('entries.write', { entity_path: 'notes', key: `s${at}`, value, shared: false }, A);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await caughtUp(app);
      for (const [at, question] of questions.entries()) {
        const answer = await ask(question);
        expect(answer.answerability).toEqual(before[at]?.answerability);
        expect(answer.entries.map(({ key, score }) => ({ key, score }))).toEqual(
          before[at]?.entries.map(({ key, score }) => ({ key, score })),
        );
      }
    }
    expect((await app.call('stats.read', {}, B)).total_entries).toBe(stats.total_entries);
    expect(await chance('who painted the ceiling of the chapel?', A)).toBeGreaterThan(0.9);
  });

  it('counts nothing that outcomes refuted', async () => {
    const at = { entity_path: 'rumours', key: 'moon' };
    await app.call('entries.write', { ...at, value: 'The moon landing was filmed in the cellar of the office.' }, A);
    const question = 'where was the moon landing filmed?';
    expect(await chance(question)).toBeGreaterThan(0.9);
    for (let n = 0; n < 4; n++) {
      const who = { ...B, session_id: `refuting-${n}` };
      await app.call('entries.read', at, who);
      await app.call('outcomes.commit', { outcome_ref: `r${n}`, outcome_type: 'critical_failure' }, who);
    }
    const { avoid, answerability } = await ask(question);
    if (avoid.length > 0) expect(answerability.chance).toBeLessThan(0.5);
  });
});

describe('how far chances can be trusted', () => {
  const given = (chance: number, isIn: number) => ({ chance, isIn });

  it('is the mean square of the error, and how far each tenth is off', () => {
    expect(brier([given(1, 1), given(0, 0)])).toBe(0);
    expect(brier([given(0.5, 1), given(0.5, 0)])).toBe(0.25);
    const half = [given(0.75, 1), given(0.75, 1), given(0.25, 0), given(0.25, 1)];
    expect(deciles(half)).toEqual([
      { from: 0.2, count: 2, given: 0.25, held: 0.5 },
      { from: 0.7, count: 2, given: 0.75, held: 1 },
    ]);
    expect(calibrationError(half)).toBe(0.25);
  });

  it('is found again in samples that were made with known weights', () => {
    const rows = Array.from({ length: 4000 }, (_, at) => [(at % 40) / 40, (at % 7) / 7]);
    const chances = rows.map(([a = 0, b = 0]) => 1 / (1 + Math.exp(-(-1 + 4 * a - 2 * b))));
    // Each row once with each label, as important as it is likely.
    const twice = [...rows, ...rows];
    const labels = [...rows.map(() => 1), ...rows.map(() => 0)];
    const weights = fitLogistic(twice, labels, [...chances, ...chances.map((chance) => 1 - chance)]);
    for (const [at, weight] of [-1, 4, -2].entries()) expect(weights[at]).toBeCloseTo(weight, 2);
  });
});

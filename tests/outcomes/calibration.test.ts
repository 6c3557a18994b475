import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author' };
const OTHER = { agent_id: 'agent/other' };

describe.each(backends)('how far confidence can be believed, on %s', (backend) => {
  let app: TestApp;
  let noon: string;
  let count = 0;
  /** An entry that is trusted so far, and how it turned out. */
  const turn = async (path: string, confidence: number, { good, as = AUTHOR, shared = true }: CalibrationTurn) => {
    const at = { entity_path: path, key: `k${++count}` };
    await app.call('entries.write', { ...at, value: count, confidence, shared }, as);
    const outcome_type = good ? ('success' as const) : ('failure' as const);
    const input = { outcome_ref: at.key, outcome_type, causal_entry_keys: [at] };
    await app.call('outcomes.commit', input, { ...as, session_id: at.key });
  };
  type CalibrationTurn = { good: boolean; as?: { agent_id: string }; shared?: boolean };

  beforeAll(async () => {
    app = await openTestApp(backend);
    expect(await app.call('outcomes.calibration', {})).toMatchObject({
      n: 0,
      successes: 0,
      brier_score: null,
      expected_calibration_error: null,
      truncated: false,
    });
    for (const good of [true, true, true, false]) await turn('sure', 0.9, { good });
    noon = new Date(app.clock.now() + 500).toISOString();
    app.clock.advance(1000);
    for (const good of [true, false]) await turn('sure/not', 0.5, { good, as: OTHER });
    await turn('hidden', 1, { good: false, shared: false });
    await app.call('outcomes.commit', {
      outcome_ref: 'replay',
      outcome_type: 'failure',
      causal_entry_keys: [{ entity_path: 'sure', key: 'k1' }],
      attributes: { replay_delivery_id: 'd-1' },
    });
  });
  afterAll(() => app.close());

  const ask = (input: object = {}, as: object = OTHER) => app.call('outcomes.calibration', input as never, as);
  const filled = async (input: object = {}, as?: object) =>
    (await ask(input, as)).buckets.filter(({ n }) => n > 0).map(({ from, n, successes }) => [from, n, successes]);

  it('buckets hold what entries were trusted with before the outcome, against how it went', async () => {
    const calibration = await ask();
    expect(calibration).toMatchObject({ n: 6, successes: 4, truncated: false });
    expect(calibration.buckets).toHaveLength(10);
    expect(calibration.buckets[9]).toMatchObject({ from: 0.9, to: 1, n: 4, successes: 3, success_rate: 0.75 });
    expect(calibration.buckets[9]?.mean_confidence).toBeCloseTo(0.9, 12);
    expect(calibration.buckets[5]).toMatchObject({ n: 2, successes: 1, success_rate: 0.5, mean_confidence: 0.5 });
    expect(calibration.buckets[0]).toMatchObject({ n: 0, success_rate: null, mean_confidence: null });
    expect(calibration.brier_score).toBeCloseTo((3 * 0.01 + 0.81 + 2 * 0.25) / 6, 12);
    expect(calibration.expected_calibration_error).toBeCloseTo((4 * 0.15 + 0) / 6, 12);
  });

  it('is asked by path, author and time', async () => {
    expect(await filled({ entity_path: 'sure' })).toEqual([[0.9, 4, 3]]);
    expect(await filled({ entity_path: 'sure/**' })).toEqual([[0.5, 2, 1]]);
    expect(await filled({ agent_id: OTHER.agent_id })).toEqual([[0.5, 2, 1]]);
    expect(await filled({ since: noon })).toEqual([[0.5, 2, 1]]);
    expect(await filled({ until: noon })).toEqual([[0.9, 4, 3]]);
    expect(await ask({ entity_path: 'nothing' })).toMatchObject({ n: 0, brier_score: null });
  });

  it('counts private entries for their agent alone', async () => {
    expect(await ask({}, AUTHOR)).toMatchObject({ n: 7, successes: 4 });
    expect(await filled({ entity_path: 'hidden' })).toEqual([]);
    expect(await filled({ entity_path: 'hidden' }, AUTHOR)).toEqual([[0.9, 1, 0]]);
  });
});

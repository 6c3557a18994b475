import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRows } from '../entries/support.ts';
import { AUTHOR, DOER, type EntryKey, newPath, newSession, OTHER, writeAll } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('why an entry stands where it does, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const newEntry = async (): Promise<EntryKey> => {
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    return at;
  };
  const end = (at: EntryKey, outcome_type: string, more: object = {}) => {
    const input = { outcome_ref: newPath(), outcome_type, causal_entry_keys: [at], ...more };
    return app.call('outcomes.commit', input as never, newSession());
  };
  const story = (at: EntryKey, as: object = DOER) => app.call('entries.confidence', at, as);

  it('an entry that nothing tested stands as it was written', async () => {
    const at = await newEntry();
    expect(await story(at)).toMatchObject({
      ...at,
      branch: 'main',
      version: 1,
      confidence: 0.7,
      effective_confidence: 0.7,
      half_life_days: null,
      evidence_status: 'untested',
      prior_confidence: null,
      evidence_success: 0,
      evidence_failure: 0,
      summary: 'stands at 0.70 in version 1, as it was written: no outcome has tested it',
      steps: [
        { kind: 'written', version: 1, agent_id: 'agent/author', confidence_before: null, confidence_after: 0.7 },
      ],
      truncated: false,
      recomputed: { confidence: 0.7, matches: true },
    });
  });

  it('every outcome is a step with its numbers, to the last digit of what is stored', async () => {
    const at = await newEntry();
    const types = ['success', 'success', 'success', 'success', 'failure', 'failure', 'success', 'success', 'success'];
    for (const outcome_type of types) await end(at, outcome_type);
    const explained = await story(at);
    expect(explained.steps.map(({ confidence_after }) => confidence_after.toFixed(4))).toEqual([
      '0.7000',
      '0.8182',
      '0.8579',
      '0.8780',
      '0.8901',
      '0.6157',
      '0.3995',
      '0.5165',
      '0.6018',
      '0.6665',
    ]);
    expect(explained.steps.slice(1).map(({ outcome_type }) => outcome_type)).toEqual(types);
    expect(explained.steps[5]).toMatchObject({
      surprise: 1,
      weight: 2,
      model: 'evidence',
      n_causal: 1,
      kind: 'outcome',
    });
    expect(explained.steps[5]?.why).toContain('first failure');
    expect(explained.steps[6]?.why).toContain('now discredited');
    expect(explained.steps[7]?.why).toContain('no longer discredited');
    for (const [i, step] of explained.steps.entries())
      expect(step.confidence_before).toBe(i === 0 ? null : explained.steps[i - 1]?.confidence_after);
    const read = (await app.call('entries.read', at)) as Record<string, unknown>;
    expect(read).toMatchObject({
      confidence: explained.confidence,
      outcome_count: 9,
      success_count: 7,
      failure_count: 2,
      evidence_success: explained.evidence_success,
      evidence_failure: explained.evidence_failure,
      prior_confidence: 0.7,
      discredited_at: null,
    });
    expect(explained).toMatchObject({
      recomputed: { confidence: read.confidence, matches: true },
      prior_confidence: 0.7,
    });
  });

  it('writing the same value keeps the evidence, and another value resets it', async () => {
    const at = await newEntry();
    await end(at, 'failure');
    await app.call('entries.write', { ...at, value: { about: 'policy' }, confidence: 0.95 }, AUTHOR);
    const restated = await story(at);
    expect(restated.steps.map(({ kind }) => kind)).toEqual(['written', 'outcome', 'restated']);
    expect(restated).toMatchObject({ version: 2, evidence_status: 'discredited', recomputed: { matches: true } });
    expect(restated.confidence).toBeCloseTo(0.2593, 4);
    await app.call('entries.write', { ...at, value: 'another claim', confidence: 0.9 }, OTHER);
    expect(await story(at)).toMatchObject({
      version: 3,
      confidence: 0.9,
      evidence_status: 'untested',
      recomputed: { confidence: 0.9, matches: true },
    });
    await end(at, 'success');
    await app.call('entries.delete', at, AUTHOR);
    await app.call('entries.restore', { ...at, version: 3 }, AUTHOR);
    expect(await story(at)).toMatchObject({
      confidence: 0.9,
      evidence_status: 'untested',
      recomputed: { matches: true },
    });
  });

  it('attempts of one outcome are steps of their own, oldest first', async () => {
    const at = await newEntry();
    const attempts = ['minor_failure', 'failure'].map((outcome_type) => ({ outcome_type, causal_entry_keys: [at] }));
    await end(at, 'success', { attempts });
    const { steps, recomputed } = await story(at);
    expect(steps.slice(1).map(({ attempt, outcome_type }) => [attempt, outcome_type])).toEqual([
      [1, 'minor_failure'],
      [2, 'failure'],
      [null, 'success'],
    ]);
    expect(recomputed.matches).toBe(true);
  });

  it('a number that was changed in the store is detected', async () => {
    const at = await newEntry();
    await end(at, 'success');
    const entry = 'entry_id IN (SELECT entry_id FROM entries WHERE entity_path = ?)';
    await changeRows(app, `UPDATE standings SET confidence = 0.99 WHERE ${entry}`, at.entity_path);
    expect(await story(at)).toMatchObject({ confidence: 0.99, recomputed: { matches: false } });
    expect((await story(at)).recomputed.confidence).toBeCloseTo(0.8182, 4);
  });

  it('a line that was changed in the ledger is detected', async () => {
    const at = await newEntry();
    await end(at, 'failure');
    await changeRows(app, "UPDATE evidence SET outcome_type = 'success' WHERE entity_path = ?", at.entity_path);
    expect(await story(at)).toMatchObject({ recomputed: { matches: false } });
  });

  it('evidence from the time when the entry was private counts, and is not shown to others', async () => {
    const at = { entity_path: newPath(), key: 'secret' };
    await app.call('entries.write', { ...at, value: 1, confidence: 0.7, shared: false }, AUTHOR);
    const private_ref = newPath();
    const input = { outcome_ref: private_ref, outcome_type: 'success' as const, causal_entry_keys: [at] };
    await app.call('outcomes.commit', input, AUTHOR);
    await app.call('entries.write', { ...at, value: 1, shared: true }, AUTHOR);
    await end(at, 'success');
    const explained = await story(at, OTHER);
    expect(explained.recomputed).toEqual({ confidence: explained.confidence, matches: true });
    expect(JSON.stringify(explained)).not.toContain(private_ref);
    expect(explained.steps.map(({ kind, version }) => `${kind} ${version}`)).toEqual(['restated 2', 'outcome 2']);
    expect((await story(at, AUTHOR)).steps).toHaveLength(4);
    const { outcomes } = await app.call('outcomes.list', { outcome_ref: private_ref }, OTHER);
    expect(outcomes).toEqual([]);
  });

  it('there is no story of what is not there, or not for the caller', async () => {
    const at = { entity_path: newPath(), key: 'secret' };
    await expect(story(at)).rejects.toMatchObject({ code: 'not_found' });
    await app.call('entries.write', { ...at, value: 1, shared: false }, AUTHOR);
    await expect(story(at)).rejects.toMatchObject({ code: 'not_found' });
    expect(await story(at, AUTHOR)).toMatchObject({ version: 1 });
  });

  it('each outcome keeps the model that it was judged by', async () => {
    const at = await newEntry();
    await end(at, 'success');
    const after = (await story(at)).confidence;
    const { settings } = app.kernel.services;
    Object.assign(settings, { outcome_model: 'multiplicative' });
    try {
      await end(at, 'failure');
    } finally {
      Object.assign(settings, { outcome_model: 'evidence' });
    }
    const explained = await story(at);
    expect(explained.confidence).toBeCloseTo(after * 0.9, 12);
    expect(explained.steps.map(({ model }) => model)).toEqual([null, 'evidence', 'multiplicative']);
    expect(explained.recomputed.matches).toBe(true);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author', session_id: 'work' };
const OTHER = { agent_id: 'agent/other', session_id: 'work' };
const at = { entity_path: 'shop/pay', key: 'retry' };

describe.each(backends)('who reports a success, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...at, value: 'three tries' }, AUTHOR);
  });
  afterEach(() => app.close());

  let refs = 0;
  const report = async (as: typeof AUTHOR, outcome_type: 'success' | 'failure' = 'success') => {
    const answer = await app.call(
      'outcomes.commit',
      { outcome_ref: `ref-${++refs}`, outcome_type, causal_entry_keys: [at] },
      as,
    );
    return answer.entries[0];
  };

  it('moves an entry that was written without a confidence', async () => {
    expect(await report(OTHER)).toMatchObject({ confidence_before: 0.7, evidence_status: 'validated' });
    expect(await app.call('entries.read', at)).toMatchObject({ confidence: expect.closeTo(0.8182, 4) });
  });

  it('an author confirms its own entry with half the weight, until another agent has', async () => {
    const own = await report(AUTHOR);
    expect(own).toMatchObject({ weight: expect.closeTo(0.65, 6), why: expect.stringContaining('counts half') });
    expect(own?.confidence_after).toBeGreaterThan(0.7);
    expect(own?.confidence_after).toBeLessThan(0.8182);
    expect((await report(AUTHOR))?.why).toContain('counts half');
    expect((await report(OTHER))?.why).not.toContain('counts half');
    expect((await report(AUTHOR))?.why).not.toContain('counts half');
    const story = await app.call('entries.confidence', at);
    expect(story.recomputed.matches).toBe(true);
    expect(story.steps.map(({ why }) => why.includes('counts half'))).toEqual([false, true, true, false, false]);
  });

  it('a failure that the author reports counts in full', async () => {
    expect(await report(AUTHOR, 'failure')).toMatchObject({ weight: expect.closeTo(3.4, 6) });
  });

  it('an explicit confidence stays as it was given', async () => {
    await app.call('entries.write', { ...at, value: 'four tries', confidence: 1 }, AUTHOR);
    expect(await app.call('entries.read', at)).toMatchObject({ confidence: 1 });
  });
});

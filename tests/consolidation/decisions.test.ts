import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('decisions about proposals, on %s', (backend) => {
  let place: StorePlace;
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    place = await readyPlace(backend);
    one = await openTestApp(backend, { place, settings: { embedder: 'off' } });
    other = await openTestApp(backend, { place, settings: { embedder: 'off' } });
  });
  afterAll(async () => {
    await other.close();
    await one.close();
    await place.remove();
  });

  async function suggested(path: string): Promise<string> {
    const sources = ['first', 'second'].map((key) => ({ entity_path: path, key }));
    for (const at of sources) await one.call('entries.write', { ...at, value: `the ${at.key} word about ${path}` }, A);
    return (await one.call('consolidation.propose', { sources }, A)).proposal_id;
  }

  it('are made once, whichever of two servers is asked', async () => {
    const proposal_id = await suggested('race/same');
    const approve = (app: TestApp, as: object) =>
      app.call('consolidation.decide', { proposal_id, decision: 'approve' }, as);
    const answers = await Promise.all([approve(one, A), approve(other, B)]);
    expect(answers[0]).toEqual(answers[1]);
    const { versions } = await one.call('entries.history', { entity_path: 'race/same', key: 'second' }, A);
    expect(versions).toHaveLength(2);
  });

  it('exclude each other', async () => {
    const proposal_id = await suggested('race/both');
    const decide = (app: TestApp, decision: 'approve' | 'reject') =>
      app.call('consolidation.decide', { proposal_id, decision }, A);
    const done = await Promise.allSettled([decide(one, 'approve'), decide(other, 'reject')]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = done.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'conflict' });
  });

  it('never raise the number of live entries', async () => {
    const liveAt = async (path: string) =>
      (await one.call('entries.list', { entity_path: `${path}/**`, limit: 1000 }, A)).entries.length;
    let trial = 0;
    const written = fc.record({ path: fc.nat(1), key: fc.nat(5), value: fc.nat(2), by: fc.constantFrom(A, B) });
    const property = fc.asyncProperty(
      fc.array(written, { minLength: 2, maxLength: 8 }),
      fc.boolean(),
      async (all, isApproved) => {
        const root = `trial/${trial++}`;
        for (const { path, key, value, by } of all)
          await one.call(
            'entries.write',
            { entity_path: `${root}/${path}`, key: `key-${key}`, value: `statement number ${value} of this trial` },
            by,
          );
        let live = await liveAt(root);
        const falls = async () => {
          const now = await liveAt(root);
          expect(now).toBeLessThanOrEqual(live);
          live = now;
        };
        await one.call('consolidation.run', { entity_path: `${root}/**` }, A);
        await falls();
        const { proposals } = await one.call('consolidation.proposals', { entity_path: `${root}/**` }, A);
        for (const { proposal_id } of proposals) {
          const decision = isApproved ? 'approve' : 'reject';
          // What another approval has changed is refused.
          await one.call('consolidation.decide', { proposal_id, decision }, A).catch((error) => {
            expect(error).toMatchObject({ code: 'version_conflict' });
          });
          await falls();
        }
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });
});

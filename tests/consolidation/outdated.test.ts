import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('a proposal whose sources have changed, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const write = (
    entity_path: string,
    key: string,
    { as, ...written }: { value: string; as: object; confidence?: number },
  ) => app.call('entries.write', { entity_path, key, ...written }, as);
  const run = (entity_path: string) => app.call('consolidation.run', { entity_path }, A);
  const pending = async (entity_path: string) =>
    (await app.call('consolidation.proposals', { entity_path }, A)).proposals;
  const decide = (proposal_id: string, decision: 'approve' | 'reject') =>
    app.call('consolidation.decide', { proposal_id, decision }, A);
  const pool = (n: number) => `The connection pool of the checkout service has ${n} connections`;
  const idOf = (proposals: { proposal_id: string; strategy: string }[], wanted: string) =>
    proposals.find(({ strategy }) => strategy === wanted)?.proposal_id as string;

  it.each(['rejected', 'left alone'])('is proposed again after it was %s, until somebody rejects that', async (end) => {
    const at = `again-${end.slice(0, 4)}`;
    await write(at, 'pool-size', { value: pool(20), as: A });
    await write(at, 'pool', { value: pool(50), as: B });
    await run(at);
    const first = idOf(await pending(at), 'contradiction');
    await write(at, 'pool', { value: pool(50), as: B, confidence: 0.8 });
    await expect(decide(first, 'approve')).rejects.toMatchObject({
      code: 'version_conflict',
      message: `${at}/pool has changed since this was proposed: consolidate again, and what still holds is proposed again`,
    });
    if (end === 'rejected') await decide(first, 'reject');
    expect(await run(at)).toMatchObject({ proposals_created: 1 });
    const second = idOf(await pending(at), 'contradiction');
    await decide(second, 'reject');
    await write(at, 'pool', { value: pool(50), as: B, confidence: 0.9 });
    expect(await run(at)).toMatchObject({ proposals_created: 0 });
  });

  it.each(['rejected', 'left alone'])('gives way to one about what is left of it, after it was %s', async (end) => {
    const at = `left-${end.slice(0, 4)}`;
    await write(at, 'pool-size', { value: pool(20), as: A });
    await write(at, 'poolSize', { value: `${pool(20)}.`, as: A });
    await write(at, 'pool_size', { value: pool(50), as: B });
    await run(at);
    const both = await pending(at);
    expect(both.map(({ sources }) => sources.length).sort()).toEqual([2, 3]);
    await decide(idOf(both, 'near_duplicate'), 'approve');
    const contradiction = idOf(both, 'contradiction');
    await expect(decide(contradiction, 'approve')).rejects.toMatchObject({ code: 'version_conflict' });
    if (end === 'rejected') await decide(contradiction, 'reject');
    await run(at);
    const left = await pending(at);
    expect(left.map(({ source_entry_keys }) => source_entry_keys.toSorted())).toEqual([
      [`${at}/pool-size`, `${at}/pool_size`],
    ]);
  });

  it('is to be suggested again where an agent suggested it', async () => {
    const sources = ['one', 'two'].map((key) => ({ entity_path: 'suggested', key }));
    for (const { entity_path, key } of sources) await write(entity_path, key, { value: `word ${key}`, as: A });
    const { proposal_id } = await app.call('consolidation.propose', { sources }, A);
    await write('suggested', 'two', { value: 'another word', as: A });
    await expect(decide(proposal_id, 'approve')).rejects.toMatchObject({
      message: 'suggested/two has changed since this was proposed: reject it, and suggest it again',
    });
  });
});

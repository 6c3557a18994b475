import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const DAY_MS = 86_400_000;

describe.each(backends)('a consolidation, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  let paths = 0;
  const newPath = () => `project-${++paths}`;
  type WrittenEntry = { value: unknown; as?: typeof A; memory_type?: 'fact' | 'belief'; shared?: boolean };
  const writeAs = (entity_path: string, key: string, { as = A, ...written }: WrittenEntry) =>
    app.call('entries.write', { entity_path, key, ...written }, as);
  const write = (entity_path: string, key: string, value: unknown) => writeAs(entity_path, key, { value });
  const read = (entity_path: string, key: string, as = A) =>
    app.call('entries.read', { entity_path, key }, as) as Promise<{
      confidence: number;
      version: number;
      value: unknown;
    }>;
  const run = (entity_path: string, as = A) => app.call('consolidation.run', { entity_path }, as);
  const pending = async (entity_path: string, as = A) =>
    (await app.call('consolidation.proposals', { entity_path }, as)).proposals;

  it('demotes an exact duplicate at the same path, and the confidence says why', async () => {
    const at = newPath();
    const value = 'the nightly build takes about forty minutes';
    await write(at, 'build-time', value);
    await write(at, 'how-long-builds-take', value);
    const report = await run(at);
    expect(report).toMatchObject({ status: 'done', auto_archived: 1, proposals_created: 0, proposals_auto_merged: 0 });
    expect(report.demotions).toEqual([
      expect.objectContaining({ key: 'how-long-builds-take', reason: 'exact_duplicate', confidence_after: 0.35 }),
    ]);
    expect(await read(at, 'build-time')).toMatchObject({ confidence: 0.7, version: 1 });
    expect(await read(at, 'how-long-builds-take')).toMatchObject({ confidence: 0.35, version: 1, value });
    const story = await app.call('entries.confidence', { entity_path: at, key: 'how-long-builds-take' }, A);
    expect(story.recomputed).toEqual({ confidence: 0.35, matches: true });
    expect(story.steps.map(({ kind }) => kind)).toEqual(['written', 'demoted']);
    expect(story.steps[1]?.why).toContain('exact duplicate');
    expect(story.summary).toBe('stands at 0.35 in version 1, demoted by consolidation; no outcome has tested it');
    expect(await run(at)).toMatchObject({ auto_archived: 0, entries_looked_at: 0 });
  });

  it('proposes to merge what says nearly the same; approval keeps one and deletes the other', async () => {
    const at = newPath();
    await writeAs(at, 'deploy-window', { value: 'Deployments to production happen on Tuesday mornings', as: A });
    await writeAs(at, 'production-deploys', {
      value: 'Deployments to production always happen on Tuesday mornings',
      as: B,
    });
    expect(await run(at)).toMatchObject({ auto_archived: 0, proposals_created: 1 });
    const [proposal] = await pending(at);
    expect(proposal).toMatchObject({
      strategy: 'near_duplicate',
      risk_tier: 'review_required',
      status: 'pending',
      compression_ratio: 2,
      proposed_value: 'Deployments to production happen on Tuesday mornings',
    });
    const id = proposal?.proposal_id as string;
    const approve = () => app.call('consolidation.decide', { proposal_id: id, decision: 'approve' }, B);
    expect(await approve()).toMatchObject({ status: 'approved', reviewed_by: 'agent/b' });
    expect(await approve()).toMatchObject({ status: 'approved' });
    await expect(read(at, 'production-deploys')).rejects.toMatchObject({ code: 'not_found' });
    expect(await read(at, 'deploy-window')).toMatchObject({ version: 1 });
    expect(await pending(at)).toEqual([]);
    await expect(app.call('consolidation.decide', { proposal_id: id, decision: 'reject' }, B)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('proposes where agents contradict each other, by numbers or by denial', async () => {
    const at = newPath();
    await writeAs(at, 'pool-size', { value: 'The connection pool of the checkout service has 20 connections', as: A });
    await writeAs(at, 'pool', { value: 'The connection pool of the checkout service has 50 connections', as: B });
    await writeAs(at, 'timeout-ms', { value: 2500, as: A });
    await writeAs(at, 'timeoutMs', { value: 3000, as: B });
    await run(at);
    const found = await pending(at);
    expect(found.map(({ strategy }) => strategy)).toEqual(['contradiction', 'contradiction']);
    expect(found.flatMap(({ source_entry_keys }) => source_entry_keys).sort()).toEqual([
      `${at}/pool`,
      `${at}/pool-size`,
      `${at}/timeout-ms`,
      `${at}/timeoutMs`,
    ]);
  });

  it('says what decided which entry is kept, and claims no evidence that is not there', async () => {
    const at = newPath();
    const value = (n: number) => `The connection pool of the checkout service has ${n} connections`;
    const reasons = async () => (await pending(at)).map(({ rationale }) => rationale);
    await writeAs(at, 'pool-size', { value: value(20), as: A });
    await writeAs(at, 'pool', { value: value(50), as: B });
    await run(at);
    const head = 'agents disagree in 2 entries';
    const none = `${head}; nothing tells them apart: ${at}/pool-size is kept, which was there first`;
    expect(await reasons()).toEqual([none]);
    await app.call('entries.write', { entity_path: at, key: 'pool', value: value(50), confidence: 0.9 }, B);
    await run(at);
    expect(await reasons()).toEqual([`${head}; ${at}/pool has the most confidence (0.90)`]);
  });

  it('demotes a belief that a validated fact has overtaken, once the outcome is there', async () => {
    const at = newPath();
    await writeAs(at, 'cache', {
      value: 'The cache of the shop is kept in Redis for an hour',
      memory_type: 'belief',
      as: B,
    });
    await writeAs(at, 'shop-cache', {
      value: 'The cache of the shop is kept in Redis for an hour today',
      memory_type: 'fact',
    });
    const session = { ...A, session_id: `session-${at}` };
    await app.call('entries.read', { entity_path: at, key: 'shop-cache' }, session);
    await app.call('outcomes.commit', { outcome_ref: `done-${at}`, outcome_type: 'success' } as never, session);
    expect(await run(at)).toMatchObject({ auto_archived: 1 });
    expect((await read(at, 'cache')).confidence).toBe(0.35);
  });

  it('demotes what is stale and was never read, and leaves what was read or tested', async () => {
    const at = newPath();
    await write(at, 'forgotten', 'the old office had a blue door');
    await write(at, 'used', 'the new office has a green door and a bell');
    await app.call('entries.read', { entity_path: at, key: 'used' }, B);
    await app.kernel.services.noteBuffer.flushAll();
    expect(await run(at)).toMatchObject({ auto_archived: 0 });
    app.clock.advance(31 * DAY_MS);
    expect(await run(at)).toMatchObject({ auto_archived: 1 });
    expect((await read(at, 'forgotten')).confidence).toBe(0.35);
    expect((await read(at, 'used')).confidence).toBe(0.7);
  });

  it('really previews, and changes nothing', async () => {
    const at = newPath();
    const value = 'tickets are answered within two working days';
    await write(at, 'support', value);
    await write(at, 'answers', value);
    await write(`${at}/copy`, 'support', value);
    const before = await app.call('consolidation.status', {}, A);
    const preview = await app.call('consolidation.run', { entity_path: `${at}/**`, preview: true }, A);
    expect(preview).toMatchObject({ run_id: null, status: 'preview' });
    const here = await app.call('consolidation.run', { entity_path: '*', preview: true }, A);
    expect(here.demotions.map(({ key }) => key)).toContain('answers');
    expect(here.candidates.map(({ strategy }) => strategy)).toContain('exact_duplicate');
    expect(await app.call('consolidation.status', {}, A)).toEqual(before);
    expect((await read(at, 'answers')).confidence).toBe(0.7);
    const { proposals } = await app.call('consolidation.candidates', { entity_path: '*' }, A);
    expect(proposals.some(({ source_entry_keys }) => source_entry_keys.includes(`${at}/copy/support`))).toBe(true);
  });

  it('neither previews nor proposes again what was rejected', async () => {
    const at = newPath();
    await write(at, 'deploy-window', 'Deployments to production happen on Tuesday mornings');
    await write(at, 'production-deploys', 'Deployments to production happen on Tuesday mornings.');
    const previewed = async () =>
      (await app.call('consolidation.run', { entity_path: at, preview: true }, A)).candidates.length;
    const candidates = async () =>
      (await app.call('consolidation.candidates', { entity_path: at }, A)).proposals.length;
    expect([await previewed(), await candidates()]).toEqual([1, 1]);
    await run(at);
    const [proposal] = await pending(at);
    await app.call('consolidation.decide', { proposal_id: proposal?.proposal_id as string, decision: 'reject' }, A);
    expect([await previewed(), await candidates()]).toEqual([0, 0]);
    expect(await run(at)).toMatchObject({ proposals_created: 0 });
  });

  it('refuses to approve once a source has changed, and changes nothing', async () => {
    const at = newPath();
    await write(at, 'one', 'the mail server restarts on Sunday evenings');
    await write(at, 'two', 'the mail server restarts every Sunday evening');
    const sources = [
      { entity_path: at, key: 'one' },
      { entity_path: at, key: 'two' },
    ];
    const value = 'the mail server restarts on Sundays at 22:00';
    const { proposal_id } = await app.call('consolidation.propose', { sources, value }, A);
    await write(at, 'two', 'the mail server does not restart any more');
    await expect(app.call('consolidation.decide', { proposal_id, decision: 'approve' }, A)).rejects.toMatchObject({
      code: 'version_conflict',
    });
    expect((await read(at, 'one')).value).toBe('the mail server restarts on Sunday evenings');
    expect(await pending(at)).toHaveLength(1);
    await app.call('consolidation.decide', { proposal_id, decision: 'reject' }, A);
    const again = await app.call('consolidation.propose', { sources, value }, A);
    await app.call('consolidation.decide', { proposal_id: again.proposal_id, decision: 'approve' }, A);
    expect(await read(at, 'one')).toMatchObject({ value, version: 2 });
    await expect(read(at, 'two')).rejects.toMatchObject({ code: 'not_found' });
  });
});

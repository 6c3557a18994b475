import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { refusal } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('the contracts of an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());
  let as: { agent_id: string };
  let round = 0;
  beforeEach(() => {
    as = { agent_id: `agent/bound-${++round}` };
  });
  const bind = (...contracts: object[]) =>
    app.call('agents.set_contracts', { ...as, contracts: contracts as never }, as);
  const write = (input: object, who: object = as) =>
    app.call('entries.write', { entity_path: `svc/${round}`, key: 'k', value: { owner: 'me' }, ...input }, who);

  it.each([
    {
      rule: 'min_confidence',
      contract: { min_confidence: 0.5 },
      bad: { confidence: 0.4 },
      good: { confidence: 0.5 },
      path: 'confidence',
    },
    {
      rule: 'max_confidence',
      contract: { max_confidence: 0.8 },
      bad: { confidence: 0.9 },
      good: { confidence: 0.8 },
      path: 'confidence',
    },
    {
      rule: 'required_fields',
      contract: { required_fields: ['owner'] },
      bad: { value: { other: 1 } },
      good: {},
      path: 'value.owner',
    },
    {
      rule: 'required_fields',
      contract: { required_fields: ['a.b.0.c'] },
      bad: { value: { a: { b: [] } } },
      good: { value: { a: { b: [{ c: null }] } } },
      path: 'value.a.b.0.c',
    },
    {
      rule: 'required_fields',
      contract: { required_fields: ['owner'] },
      bad: { value: 'only text' },
      good: {},
      path: 'value.owner',
    },
    { rule: 'ttl_required', contract: { ttl_required: true }, bad: {}, good: { ttl_seconds: 60 }, path: 'ttl_at' },
  ])('hold on write: $rule, told as $path', async ({ rule, contract, bad, good, path }) => {
    await bind({ entity_path: 'svc/*', ...contract });
    const before = await dump(app);
    const problem = await refusal(write(bad));
    expect(problem).toMatchObject({ status: 422, code: 'contract_violated', entity_path: `svc/${round}`, key: 'k' });
    const message = expect.stringContaining('contract of the agent for svc/*');
    expect(problem.errors).toEqual([{ path, message, rule }]);
    expect(await dump(app), 'nothing was changed').toEqual(before);
    expect(await write(good)).toMatchObject({ version: 1 });
  });

  it('hold for the paths and keys they name, and for no other agent', async () => {
    await bind({ entity_path: 'svc/**', key_pattern: 'retry-*-policy', min_confidence: 0.9 });
    const low = { confidence: 0.1 };
    await write({ ...low, key: 'retry-policy' });
    await write({ ...low, key: 'a-retry-x-policy' });
    await write({ ...low, entity_path: 'other', key: 'retry-x-policy' });
    await write({ ...low, key: 'retry-x-policy' }, { agent_id: 'agent/free' });
    const own = write({ ...low, key: 'retry-x-policy', value: 'its own words' });
    expect(await refusal(own)).toMatchObject({ code: 'contract_violated' });
  });

  it('report all broken rules together', async () => {
    await bind(
      { entity_path: '*', min_confidence: 0.9, ttl_required: true },
      { entity_path: 'svc/*', required_fields: ['x'] },
    );
    const { errors } = await refusal(write({ confidence: 0.1 }));
    expect(errors?.map(({ path }) => path)).toEqual(['confidence', 'ttl_at', 'value.x']);
  });

  it('look at what the entry will be, not only at what was said', async () => {
    await write({ confidence: 0.4, ttl_seconds: 60 });
    await bind({ entity_path: 'svc/*', max_confidence: 0.5, ttl_required: true });
    expect(await write({ memory_type: 'belief' }), 'the same claim keeps both').toMatchObject({ confidence: 0.4 });
    expect(await write({ memory_type: 'belief' })).toMatchObject({ unchanged: true });
    const { errors } = await refusal(write({ value: { owner: 'new' } }));
    expect(errors?.map(({ path }) => path)).toEqual(['confidence', 'ttl_at']);
  });

  it('hold for the agent that the body names', async () => {
    await bind({ entity_path: 'svc/*', min_confidence: 0.9 });
    const written = write({ confidence: 0.1, ...as }, { agent_id: 'agent/free' });
    expect(await refusal(written)).toMatchObject({ code: 'contract_violated' });
  });

  it('refuse a commit as a whole, and say which write it was', async () => {
    await bind({ entity_path: 'svc/*', required_fields: ['owner'] });
    const before = await dump(app);
    const draft = (key: string, value: unknown) => ({ entity_path: 'svc/all', key, value });
    const writes = [draft('a', { owner: 1 }), draft('b', 'none'), draft('c', { owner: 1 })];
    const problem = await refusal(app.call('commits.create', { writes }, as));
    expect(problem).toMatchObject({ code: 'contract_violated', entity_path: 'svc/all', key: 'b' });
    expect(problem.errors?.map(({ path }) => path)).toEqual(['writes.1.value.owner']);
    expect(await dump(app), 'nothing was changed').toEqual(before);
    const kept = [draft('a', { owner: 1 }), draft('c', { owner: 1 })];
    expect(await app.call('commits.create', { writes: kept }, as)).toMatchObject({ entries_written: 2 });
  });

  it('refuse one write of many that arrive together, and no other', async () => {
    await bind({ entity_path: 'svc/*', min_confidence: 0.9 });
    const results = await Promise.allSettled([
      write({ key: 'a', confidence: 0.9 }),
      write({ key: 'b', confidence: 0.1 }),
      write({ key: 'c', confidence: 0.1 }, { agent_id: 'agent/free' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('hold for a restored version; a delete needs no leave', async () => {
    await write({ confidence: 0.1 });
    await write({ value: { owner: 'second' } });
    await bind({ entity_path: 'svc/*', min_confidence: 0.9 });
    const at = { entity_path: `svc/${round}`, key: 'k' };
    expect(await refusal(app.call('entries.restore', { ...at, version: 1 }, as))).toMatchObject({
      code: 'contract_violated',
    });
    expect(await app.call('entries.delete', at, as)).toMatchObject({ deleted: true });
  });

  it('end when they are replaced', async () => {
    await bind({ entity_path: '*', min_confidence: 0.9 });
    await bind();
    expect(await write({ confidence: 0.1 })).toMatchObject({ version: 1 });
  });

  it.each([
    ['contracts', Array.from({ length: 51 }, () => ({ entity_path: 'a' }))],
    ['contracts.0.entity_path', [{ entity_path: 'a*' }]],
    ['contracts.0.min_confidence', [{ entity_path: 'a', min_confidence: 2 }]],
    ['contracts.0.min_confidence', [{ entity_path: 'a', min_confidence: 0.9, max_confidence: 0.1 }]],
    ['contracts.0.required_fields', [{ entity_path: 'a', required_fields: Array.from({ length: 21 }, () => 'x') }]],
    ['contracts.0.colour', [{ entity_path: 'a', colour: 'red' }]],
  ])('that do not fit are refused: %s', async (path, contracts) => {
    const set = app.call('agents.set_contracts', { ...as, contracts: contracts as never }, as);
    await expect(set).rejects.toMatchObject({ code: 'invalid_input', detail: { errors: [{ path }] } });
  });
});

import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Principal,
  readAccount,
  type Scope,
  SELF_HOSTED_ACCOUNT,
} from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const scopeOf = (...globs: string[]): Scope => [globs.map((glob) => parseGlob(glob) as never)];
const keyFor = (read: string[], write = read): { agent_id: string; key: Principal } => ({
  ...B,
  key: { key_id: 'k1', name: 'k', type: 'agent', read: scopeOf(...read), write: scopeOf(...write) },
});

const SECRET = 'the vault of the bank opens at midnight sharp';

describe.each(backends)('who consolidates what, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const proposals = (as: object, entity_path = '*') => app.call('consolidation.proposals', { entity_path }, as);

  it('a duplicate of a private entry betrays it to nobody, and its author alone may see that it is one', async () => {
    await app.call('entries.write', { entity_path: 'bank', key: 'mine', value: SECRET, shared: false }, A);
    await app.call('entries.write', { entity_path: 'bank', key: 'mine-too', value: `${SECRET} now`, shared: false }, A);
    await app.call('entries.write', { entity_path: 'bank', key: 'ours', value: SECRET }, B);
    expect(await app.call('consolidation.candidates', { entity_path: 'bank' }, B)).toMatchObject({ proposals: [] });
    expect(await app.call('consolidation.run', { entity_path: 'bank' }, B)).toMatchObject({
      entries_looked_at: 1,
      auto_archived: 0,
      proposals_created: 0,
    });
    expect(await app.call('consolidation.run', { entity_path: 'bank' }, A)).toMatchObject({ auto_archived: 1 });
    expect((await proposals(A)).total).toBe(1);
    expect(await proposals(B)).toMatchObject({ proposals: [], total: 0 });
    const { events } = await app.call('log.list', { limit: 1000 }, B);
    expect(JSON.stringify(events)).not.toContain('mine');
    expect((await app.call('entries.read', { entity_path: 'bank', key: 'ours' }, B)) as object).toMatchObject({
      confidence: 0.7,
    });
    const proposal_id = (await proposals(A)).proposals[0]?.proposal_id as string;
    for (const decision of ['approve', 'reject'] as const)
      await expect(app.call('consolidation.decide', { proposal_id, decision }, B)).rejects.toMatchObject({
        code: 'not_found',
      });
    // What is shared does not give way to what is private.
    await app.call('consolidation.decide', { proposal_id, decision: 'approve' }, A);
    expect(await app.call('entries.read', { entity_path: 'bank', key: 'ours' }, B)).toBeDefined();
  });

  it('a key sees and decides proposals all of whose sources it may read, and write', async () => {
    const value = 'invoices are sent on the first working day of the month';
    await app.call('entries.write', { entity_path: 'team/one', key: 'invoices', value }, A);
    await app.call('entries.write', { entity_path: 'team/two', key: 'invoices', value }, A);
    const narrow = keyFor(['team/one']);
    expect(await app.call('consolidation.run', { entity_path: 'team/one' }, narrow)).toMatchObject({
      entries_looked_at: 1,
      proposals_created: 0,
    });
    await expect(app.call('consolidation.run', { entity_path: 'team/**' }, narrow)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await app.call('consolidation.run', { entity_path: 'team/**' }, A);
    const { proposals: all } = await proposals(A, 'team/**');
    expect(all).toHaveLength(1);
    const proposal_id = all[0]?.proposal_id as string;
    expect(await proposals(narrow)).toMatchObject({ proposals: [], total: 0 });
    expect(await app.call('consolidation.status', {}, narrow)).toMatchObject({ pending_proposals: 0 });
    const { events } = await app.call('log.list', { limit: 1000 }, narrow);
    expect(JSON.stringify(events)).not.toContain('consolidation_proposed');
    const decide = (as: object) => app.call('consolidation.decide', { proposal_id, decision: 'reject' }, as);
    await expect(decide(narrow)).rejects.toMatchObject({ code: 'not_found' });
    const reader = keyFor(['team/**'], ['team/one']);
    expect((await proposals(reader)).total).toBe(1);
    await expect(decide(reader)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await decide(keyFor(['team/**']))).toMatchObject({ status: 'rejected' });
  });

  it('a proposal is gone for others once a source is made private, and for all once one is erased', async () => {
    const sources = ['left', 'right'].map((key) => ({ entity_path: 'sides', key }));
    for (const at of sources) await app.call('entries.write', { ...at, value: `the ${at.key} side of the road` }, A);
    await app.call('consolidation.propose', { sources, rationale: 'roads have sides' }, A);
    expect((await proposals(B, 'sides')).total).toBe(1);
    await app.call(
      'entries.write',
      { entity_path: 'sides', key: 'right', value: 'the right side of the road', shared: false },
      A,
    );
    expect(await proposals(B, 'sides')).toMatchObject({ proposals: [], total: 0 });
    expect((await proposals(A, 'sides')).total).toBe(1);
    await app.call('entries.erase', { entity_path: 'sides', key: 'left' } as never, A);
    expect(await proposals(A, 'sides')).toMatchObject({ proposals: [], total: 0 });
  });

  it('an agent cannot take the room of others with proposals that they do not see', async () => {
    const { limits, database } = app.kernel.services;
    const { read } = database.forAccount(SELF_HOSTED_ACCOUNT);
    const used = async () => (await readAccount(read, SELF_HOSTED_ACCOUNT))?.storage_bytes as number;
    for (const key of ['one', 'two', 'three'])
      await app.call('entries.write', { entity_path: 'own', key, value: `${key} is mine`, shared: false }, A);
    const at = (...keys: string[]) => ({ sources: keys.map((key) => ({ entity_path: 'own', key })) });
    const before = await used();
    const [value, rationale] = ['x'.repeat(1000), 'y'.repeat(200)];
    await app.call('consolidation.propose', { ...at('one', 'two'), value, rationale }, A);
    expect((await used()) - before).toBe(1202);
    limits.max_pending_proposals = (await proposals(B)).total + 1;
    for (const key of ['x', 'y'])
      await app.call('entries.write', { entity_path: 'all', key, value: `${key} is ours` }, B);
    for (const sources of [at('one', 'three'), at('two', 'three'), at('one', 'two', 'three')])
      await app.call('consolidation.propose', sources, A).catch(() => {});
    const ours = { sources: ['x', 'y'].map((key) => ({ entity_path: 'all', key })) };
    const shared = await app.call('consolidation.propose', ours, B);
    delete limits.max_pending_proposals;
    for (const key of ['one', 'two']) await app.call('entries.erase', { entity_path: 'own', key } as never, A);
    expect(await proposals(A, 'own')).toMatchObject({ total: 0 });
    expect((await used()) - before).toBeLessThan(1000);
    await app.call('consolidation.decide', { proposal_id: shared.proposal_id, decision: 'reject' }, B);
  });

  it('what an agent suggests to everyone is bounded, so that others find room', async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    const writes = keys.map((key) => ({ entity_path: 'many', key, value: `${key} is for everyone` }));
    await app.call('commits.create', { writes }, A);
    const pairs = keys.flatMap((a, n) => keys.slice(n + 1).map((b) => [a, b]));
    const suggest = (pair: string[] | undefined, as: object) =>
      app.call('consolidation.propose', { sources: (pair ?? []).map((key) => ({ entity_path: 'many', key })) }, as);
    const agent = { agent_id: 'agent/c' };
    for (const pair of pairs.slice(0, 50)) await suggest(pair, agent);
    await expect(suggest(pairs[50], agent)).rejects.toMatchObject({ code: 'conflict', detail: { max_pending: 50 } });
    expect(await suggest(pairs[50], A)).toMatchObject({ status: 'pending' });
    for (const key of keys) await app.call('entries.erase', { entity_path: 'many', key } as never, A);
  });

  it('a proposal whose source has expired is listed for nobody, and takes no room', async () => {
    const { limits } = app.kernel.services;
    const ttl = { value: 'the guest network is open', ttl_seconds: 60 };
    await app.call('entries.write', { entity_path: 'guests', key: 'soon', ...ttl }, A);
    for (const key of ['long', 'longer'])
      await app.call('entries.write', { entity_path: 'guests', key, value: `guests stay ${key}` }, A);
    const suggest = (...keys: string[]) =>
      app.call('consolidation.propose', { sources: keys.map((key) => ({ entity_path: 'guests', key })) }, A);
    await suggest('soon', 'long');
    limits.max_pending_proposals = (await proposals(B)).total;
    await expect(suggest('long', 'longer')).rejects.toMatchObject({ code: 'conflict' });
    app.clock.advance(61_000);
    expect(await proposals(A, 'guests')).toMatchObject({ proposals: [], total: 0 });
    const all = { entity_path: 'guests', status: 'all' } as const;
    expect(await app.call('consolidation.proposals', all, A)).toMatchObject({ total: 0 });
    const { proposal_id } = await suggest('long', 'longer');
    delete limits.max_pending_proposals;
    await app.call('consolidation.decide', { proposal_id, decision: 'reject' }, A);
  });

  it('an account looks for candidates once at a time, and is refused when too much waits', async () => {
    const look = (account_id = SELF_HOSTED_ACCOUNT) =>
      app.call('consolidation.candidates', { entity_path: 'bank' }, { ...A, account_id });
    const looked = await Promise.allSettled([...Array.from({ length: 9 }, () => look()), look('other')]);
    expect(looked.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'fulfilled'),
      ...Array.from({ length: 4 }, () => 'rejected'),
      'fulfilled',
    ]);
    expect(looked[8]).toMatchObject({ reason: { code: 'unavailable', detail: { retry_after: 1 } } });
    await look();
  });

  it('waits where there is no room for more proposals, and goes on once some are decided', async () => {
    const { limits } = app.kernel.services;
    const { total } = await proposals(B);
    limits.max_pending_proposals = total + 1;
    for (const [i, word] of ['harbour', 'orchard'].entries())
      for (const at of ['x', 'y'])
        await app.call('entries.write', {
          entity_path: `full/${at}`,
          key: `${word}-${i}`,
          value: `the ${word} closes when the winter storms arrive`,
        });
    expect(await app.call('consolidation.run', { entity_path: 'full/**' }, A)).toMatchObject({
      status: 'done',
      is_full: true,
      proposals_created: 1,
    });
    const sources = ['harbour-0', 'orchard-1'].map((key) => ({ entity_path: 'full/x', key }));
    await expect(app.call('consolidation.propose', { sources }, A)).rejects.toMatchObject({ code: 'conflict' });
    const proposal_id = (await proposals(A, 'full/**')).proposals[0]?.proposal_id as string;
    await app.call('consolidation.decide', { proposal_id, decision: 'reject' }, A);
    expect(await app.call('consolidation.run', { entity_path: 'full/**' }, A)).toMatchObject({
      is_full: false,
      proposals_created: 1,
    });
    delete limits.max_pending_proposals;
    // What was rejected is not proposed again.
    expect(await app.call('consolidation.run', { entity_path: 'full/**' }, B)).toMatchObject({ proposals_created: 0 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPath, newSession } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key${i}`, i]));

describe.each(backends)('attributes on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const stamped = { source: 'api', outcome_type: 'success' };
  const commit = (as: object, input: object) =>
    app.call('outcomes.commit', { outcome_ref: newPath(), outcome_type: 'success', ...input }, as);
  const sealed = async (attributes: object, as: object = newSession()) => {
    const { trace_id } = await commit(as, { attributes });
    return (await app.call('traces.read', { trace_id: trace_id as string })).attributes;
  };

  it('are scalars under trimmed, lower-case keys', async () => {
    const given = { ' Team ': 'payments', COUNT: 2.5, dry: false };
    expect(await sealed(given)).toEqual({ team: 'payments', count: 2.5, dry: false, ...stamped });
  });

  it('of session, metadata and outcome are one bag, of which the later win', async () => {
    const session = newSession();
    await app.call('sessions.set_attributes', { attributes: { a: 'session', b: 'session', c: 'session' } }, session);
    await app.call('sessions.set_attributes', { attributes: { B: 'set again', c: null } }, session);
    const input = { session_metadata: { attributes: { b: 'metadata', d: 'metadata' } }, attributes: { D: 'outcome' } };
    const { attributes } = await commit(session, input);
    expect(attributes).toEqual({ a: 'session', b: 'metadata', d: 'outcome', ...stamped });
    // They are sealed with the session.
    expect(await sealed({}, session)).toEqual(stamped);
  });

  it('that are reserved are stamped by the service, whatever a caller says', async () => {
    const session = newSession();
    const forged = { source: 'me', Model: 'mine', client: 'mine', outcome_type: 'mine' };
    await app.call('sessions.set_attributes', { attributes: forged }, session);
    const metadata = { session_metadata: { model: 'gpt-4o', client_name: 'cli', attributes: forged } };
    const { attributes } = await commit(session, { ...metadata, attributes: forged });
    expect(attributes).toEqual({ ...stamped, model: 'gpt-4o', client: 'cli' });
    const byCall = await commit(newSession(), { llm_calls: [{ model: 'first' }, { model: 'last' }] });
    expect(byCall.attributes).toEqual({ ...stamped, model: 'last' });
  });

  it('are as long as they have characters, in any script', async () => {
    const key = '𝒌'.repeat(64);
    const value = '🙂'.repeat(256);
    expect(await sealed({ [key]: value, ключ: 'ж'.repeat(256) })).toMatchObject({ [key]: value });
    for (const wrong of [{ [`${key}x`]: 1 }, { key: `${value}x` }, { key: 'x'.repeat(257) }])
      await expect(sealed(wrong)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('are 20 at most, and those that are stamped take no room', async () => {
    expect(Object.keys(await sealed({ ...many(20), memory_branch: 'b', source: 'x', MODEL: 'y' }))).toHaveLength(22);
    await expect(sealed(many(21))).rejects.toMatchObject({ code: 'invalid_input' });
    const session = newSession();
    await app.call('sessions.set_attributes', { attributes: many(20) }, session);
    await expect(commit(session, { attributes: { one: 'more' } })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(app.call('sessions.set_attributes', { attributes: { one: 'more' } }, session)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await app.call('sessions.set_attributes', { attributes: { key0: null, one: 'more' } }, session);
    expect(Object.keys(await sealed({}, session))).toHaveLength(22);
  });

  it.each<[what: string, attributes: Record<string, unknown>, path: string]>([
    ['a key of 65 characters', { [`a${'b'.repeat(64)}`]: 1 }, `attributes.a${'b'.repeat(64)}`],
    ['an empty key', { ' ': 1 }, 'attributes. '],
    ['a text of 257 characters', { a: 'x'.repeat(257) }, 'attributes.a'],
    ['an object', { a: {} }, 'attributes.a'],
    ['a list', { a: [1] }, 'attributes.a'],
    ['null', { a: null }, 'attributes.a'],
    ['a NUL', { a: 'x\0' }, 'attributes.a'],
    ['21 keys', many(21), 'attributes'],
  ])('refuse %s, and nothing is changed', async (_, attributes, path) => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'k' };
    await app.call('entries.write', { ...at, value: 1, confidence: 0.7 }, session);
    await app.call('sessions.set_attributes', { attributes: { kept: true } }, session);
    const { last_seq } = await app.call('stats.read', {});
    const bad = { attributes: { fine: 1, ...attributes }, causal_entry_keys: [at] };
    const refused = { code: 'invalid_input', detail: { errors: [{ path }] } };
    await expect(commit(session, bad)).rejects.toMatchObject(refused);
    await expect(commit(session, { session_metadata: { attributes: bad.attributes } })).rejects.toMatchObject(refused);
    await expect(app.call('traces.create', { attributes: bad.attributes }, session)).rejects.toMatchObject(refused);
    if (attributes.a !== null)
      await expect(app.call('sessions.set_attributes', bad as never, session)).rejects.toMatchObject({
        code: 'invalid_input',
      });
    expect((await app.call('stats.read', {})).last_seq).toBe(last_seq);
    expect(await app.call('sessions.explain', {}, session)).toMatchObject({
      status: 'open',
      attributes: { kept: true },
    });
    expect(await app.call('entries.read', at, session)).toMatchObject({ outcome_count: 0 });
  });

  it('take what just fits', async () => {
    const attributes = { ['k'.repeat(64)]: 'x'.repeat(256), n: -1e300, empty: '' };
    expect(await sealed(attributes)).toEqual({ ...attributes, ...stamped });
  });
});

import { parseGlob, stringify } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('events from outside, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const at = { source: 'ci', entity_path: 'shop/builds', key: 'last' };

  it('an event becomes a shared entry of the agent of its source', async () => {
    const sent = await app.call('events.send', {
      ...at,
      value: { state: 'failed' },
      event_type: 'build.failed',
      id: 'b1',
    });
    expect(sent).toMatchObject({ duplicate: false, id: 'b1', status: 'written', version: 1, sender: 'external/ci' });
    const entry = await app.call('entries.read', { entity_path: 'shop/builds', key: 'last' });
    expect(entry).toMatchObject({
      value: { state: 'failed' },
      shared: true,
      confidence: 1,
      memory_type: 'experience',
      provenance: { agent_id: 'external/ci' },
      event: { source: 'ci', event_type: 'build.failed', id: 'b1', occurred_at: null },
    });
  });

  it('an event that comes again counts once, also with another body', async () => {
    const again = await app.call('events.send', { ...at, value: 'other', id: 'b1' });
    expect(again).toMatchObject({ duplicate: true, version: 1, event_type: 'build.failed' });
    expect(await app.call('events.list', { source: 'ci' })).toMatchObject({ events: [{ id: 'b1' }] });
  });

  it('an event before the newest one of its entry changes nothing', async () => {
    const timed = { source: 'ci', entity_path: 'shop/builds', key: 'timed' };
    const send = (value: number, occurred_at: string) => app.call('events.send', { ...timed, value, occurred_at });
    expect(await send(2, '2025-06-01T12:00:00Z')).toMatchObject({ status: 'written', version: 1 });
    expect(await send(1, '2025-06-01T11:00:00Z')).toMatchObject({ status: 'out_of_date', version: 1 });
    // A clock that is far ahead counts as right.
    expect(await send(3, '2035-01-01T00:00:00Z')).toMatchObject({ status: 'written', version: 2 });
    app.clock.advance(1000);
    expect(await send(4, '2026-01-01T00:00:01Z')).toMatchObject({ status: 'written', version: 3 });
  });

  it('an exact value stays as it was sent, and a secret in one does not', async () => {
    const exact = { ...at, key: 'exact', value: { big: 1 } };
    const text = '{"big": 12345678901234567890}';
    const { JsonText } = await import('@mem-service/contract');
    await app.kernel.invoke('events.send', { ...exact, value: new JsonText(text) }, caller());
    expect(
      stringify(await app.kernel.invoke('entries.read', { entity_path: at.entity_path, key: 'exact' }, caller())),
    ).toContain(text);
    await app.call('events.send', { ...at, key: 'secret', value: { password: 'open-sesame-7' } });
    expect(
      JSON.stringify(await app.call('entries.read', { entity_path: at.entity_path, key: 'secret' })),
    ).not.toContain('sesame');
  });

  it('each event of a batch is accepted or refused by itself', async () => {
    const batch = [
      { ...at, key: 'b1', value: 1, id: 'x' },
      { ...at, key: 'b2', value: 1, id: 'x' },
      { ...at, key: 'b3' },
      'nonsense',
      { ...at, source: 'a/../b', value: 1 },
      { ...at, key: 'b4', value: 2 },
    ];
    const { results, ...counts } = await app.call('events.send_batch', { events: batch as never });
    expect(counts).toMatchObject({ accepted: 2, duplicates: 1, rejected: 3 });
    expect(results.map((one) => ('error' in one ? one.error.code : one.duplicate))).toEqual([
      false,
      true,
      'invalid_input',
      'invalid_input',
      'invalid_input',
      false,
    ]);
    expect(results[2]).toMatchObject({ index: 2, error: { status: 422, errors: [{ path: 'value' }] } });
  });

  it('a key with a scope neither learns of ids elsewhere nor uses them up', async () => {
    const scope = [[parseGlob('team/**') as never]];
    const key = { key_id: 'k', name: 'k', type: 'agent' as const, read: scope, write: scope };
    const send = (entity_path: string, as = {}) =>
      app.call('events.send', { source: 'cd', entity_path, key: 'k', value: entity_path, id: 'same' }, as);
    expect(await send('elsewhere')).toMatchObject({ duplicate: false });
    expect(await send('team/a', { key })).toMatchObject({ duplicate: false, entity_path: 'team/a' });
    expect(await send('team/b', { key })).toMatchObject({ duplicate: true, entity_path: 'team/a' });
    await expect(send('elsewhere', { key })).rejects.toMatchObject({ code: 'forbidden' });
    const batch = [
      { source: 'cd', entity_path: 'elsewhere', key: 'k', value: 1, id: 'other' },
      { source: 'cd', entity_path: 'team/c', key: 'k', value: 1, id: 'third' },
    ];
    const { results } = await app.call('events.send_batch', { events: batch }, { key });
    expect(results).toMatchObject([{ error: { code: 'forbidden', status: 403 } }, { duplicate: false }]);
    expect((await app.call('events.list', {}, { key })).events.map(({ entity_path }) => entity_path)).toEqual([
      'team/c',
      'team/a',
    ]);
  });

  it('events are listed by type, source, path, key and time, page by page', async () => {
    const ids = async (input: object) => (await app.call('events.list', input)).events.map(({ id }) => id);
    const all = await ids({});
    expect(await ids({ event_type: 'build.failed' })).toEqual(['b1']);
    expect(await ids({ source: 'nobody' })).toEqual([]);
    expect(await ids({ entity_path: 'shop/**', key: 'b1' })).toEqual(['x']);
    expect(await ids({ until: '2020-01-01' })).toEqual([]);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.call('events.list', { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      paged.push(...page.events.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(all);
  });

  it.each(['webhook/github', 'external/ci'])('nobody writes as %s', async (agent_id) => {
    const refused = { code: 'forbidden', detail: { agent_id } };
    const write = { entity_path: 'a', key: 'k', value: 1 };
    await expect(app.call('entries.write', { ...write, agent_id })).rejects.toMatchObject(refused);
    await expect(app.call('entries.write', write, { agent_id })).rejects.toMatchObject(refused);
    await expect(app.call('commits.create', { writes: [write] }, { agent_id })).rejects.toMatchObject(refused);
    const imported = { source: 's', entries: [{ ...write, agent_id }] };
    await expect(app.call('entries.import', imported)).rejects.toMatchObject(refused);
    await expect(
      app.call('outcomes.commit', { outcome_ref: 'r', outcome_type: 'success' }, { agent_id }),
    ).rejects.toMatchObject(refused);
    // What is kept of such an agent can be erased, and a program may go by its name to send.
    await app.call('events.send', { source: 'ci', entity_path: 'a', key: 'k', value: 1 }, { agent_id });
    await app.call('agents.erase', { agent_id });
  });
});

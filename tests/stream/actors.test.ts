import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

type EventActor = { seq: number; agent_id: string; actor_agent_id?: string };

describe.each(backends)('the actor of an event on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('is the same in the log and in the stream', async () => {
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, { agent_id: 'agent/author' });
    const reader = { agent_id: 'agent/reader', session_id: 'sess-1' };
    await app.call('entries.read', { entity_path: 'a', key: 'k' }, reader);
    await app.call('sessions.explain', {}, reader);
    const { events: listed } = await app.call('log.list', {});
    const { events: streamed } = (await app.call('log.stream', { after: 0 })) as unknown as { events: EventActor[] };
    const actors = (events: readonly EventActor[]) =>
      events.map(({ seq, agent_id, actor_agent_id }) => ({ seq, agent_id, actor_agent_id }));
    expect(actors(listed)).toEqual(actors(streamed));
    expect(actors(listed)).toContainEqual({
      seq: expect.any(Number),
      agent_id: 'agent/author',
      actor_agent_id: 'agent/reader',
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };

describe('a question whose thread is busy', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
  });
  afterAll(() => app.close());

  it('is answered by words within max_ms', async () => {
    await app.call('entries.write', { entity_path: 'office', key: 'wifi', value: 'the wifi password is heron' }, A);
    // The first task starts the thread, which takes longer.
    const ask = (max_ms: number) => app.call('entries.retrieve', { query: 'wifi password', max_ms }, A);
    const { skipped, entries, index } = await ask(60);
    // Passages need no thread: they are cut where a timer ended the wait a moment before the limit.
    expect(skipped).toEqual(expect.arrayContaining(['meaning', 'neighbours', 'related']));
    expect(entries[0]).toMatchObject({ key: 'wifi' });
    expect(index.embedder).toBeNull();
    expect(await ask(60_000)).toMatchObject({ skipped: [], index: { embedder: 'mem-static-256' } });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOER, flush } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const DAY = 24 * 60 * 60 * 1000;
const AUTHOR = { agent_id: 'agent/author' };
const types = ['fact', 'belief', 'experience', 'procedure'] as const;
const at = (key: string) => ({ entity_path: 'fading', key });

/** What is left after 30 days of a confidence of 0.8 with a half-life of 30 days. */
const LEFT: Record<string, string> = {
  fact: '0.4000',
  belief: '0.2000',
  experience: '0.5040',
  procedure: '0.5657',
  recalled: '0.5983',
  proven: '0.5657',
  both: '0.6919',
};

describe.each(backends)('memory that fades, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { settings: { half_life_days: 30 } });
    for (const memory_type of types)
      await app.call(
        'entries.write',
        { ...at(memory_type), value: `about ${memory_type}`, confidence: 0.8, memory_type },
        AUTHOR,
      );
    for (const key of ['recalled', 'proven', 'both'])
      await app.call('entries.write', { ...at(key), value: `about ${key}`, confidence: 0.8 }, AUTHOR);
    for (const key of ['recalled', 'both']) for (let i = 0; i < 3; i++) await app.call('entries.read', at(key), DOER);
    await flush(app);
    for (const key of ['proven', 'both'])
      await app.call('outcomes.commit', { outcome_ref: key, outcome_type: 'success', causal_entry_keys: [at(key)] });
    // An outcome moves the confidence as well; the vectors are for 0.8.
    await app.kernel.services.database.transaction((tx) =>
      tx.run({ text: 'UPDATE standings SET confidence = 0.8 WHERE confidence IS NOT NULL', values: [] }),
    );
    app.clock.advance(30 * DAY);
  });
  afterAll(() => app.close());

  const shown = (entries: readonly { key: string; effective_confidence?: number | undefined }[]) =>
    Object.fromEntries(entries.map(({ key, effective_confidence }) => [key, effective_confidence?.toFixed(4)]));

  it('shows what is left in lists and searches, beside what is stored', async () => {
    const { entries } = await app.call('entries.list', { entity_path: 'fading' });
    expect(shown(entries)).toEqual(LEFT);
    expect(new Set(entries.map(({ confidence }) => confidence))).toEqual(new Set([0.8]));
    const meta = await app.call('entries.list', { entity_path: 'fading', fields: 'meta' });
    expect(shown(meta.entries)).toEqual(LEFT);
    expect(shown((await app.call('entries.search', { entity_path: 'fading' })).entries)).toEqual(LEFT);
    const { proven: _, both: __, recalled: ___, ...byWord } = LEFT;
    for (const [key, left] of Object.entries(byWord)) {
      const found = await app.call('entries.search', { query: `about ${key}`, entity_path: 'fading', limit: 1 });
      expect(shown(found.entries)).toEqual({ [key]: left });
    }
    // The searches recalled those four.
    await flush(app);
    await app.kernel.services.database.transaction((tx) =>
      tx.run({
        text: `UPDATE standings SET recall_count = 0
          WHERE entry_id IN (SELECT entry_id FROM entries WHERE key NOT IN ('recalled', 'both'))`,
        values: [],
      }),
    );
  });

  it.each([0.2, 0.20001, 0.4, 0.40001, 0.5041, 0.57, 0.6, 0.7])('is filtered by what is left: %d', async (edge) => {
    const all = (await app.call('entries.list', { entity_path: 'fading' })).entries;
    const left = (key: string) => all.find((entry) => entry.key === key)?.effective_confidence as number;
    const keys = (entries: readonly { key: string }[]) => entries.map(({ key }) => key).sort();
    const above = keys(all.filter(({ key }) => left(key) >= edge));
    const below = keys(all.filter(({ key }) => left(key) <= edge));
    for (const name of ['entries.list', 'entries.search'] as const) {
      const found = (filter: object) => app.call(name, { entity_path: 'fading', ...filter } as never);
      expect(keys((await found({ min_confidence: edge })).entries)).toEqual(above);
      expect(keys((await found({ max_confidence: edge })).entries)).toEqual(below);
    }
  });

  it('shows it in reads, in writes and in the story of a confidence', async () => {
    const read = (await app.call('entries.read', at('belief'))) as { effective_confidence: number };
    expect(read.effective_confidence.toFixed(4)).toBe('0.2000');
    const explained = await app.call('entries.confidence', at('procedure'));
    expect(explained).toMatchObject({ confidence: 0.8, half_life_days: 30 });
    expect(explained.effective_confidence.toFixed(4)).toBe('0.5657');
    const unchanged = await app.call('entries.write', { ...at('fact'), value: 'about fact', confidence: 0.8 }, AUTHOR);
    expect(unchanged).toMatchObject({ unchanged: true, version: 1 });
    expect(unchanged.effective_confidence?.toFixed(4)).toBe('0.4000');
    const written = await app.call('entries.write', { ...at('fact'), value: 'about fact', confidence: 0.9 }, AUTHOR);
    expect(written).toMatchObject({ version: 2, confidence: 0.9, effective_confidence: 0.9 });
  });

  it('does not fade backwards, before its time', async () => {
    await app.call('entries.write', { entity_path: 'new', key: 'k', value: 1, confidence: 0.8 }, AUTHOR);
    expect((await app.call('entries.list', { entity_path: 'new', min_confidence: 0.8 })).entries).toHaveLength(1);
    app.clock.advance(-DAY);
    expect((await app.call('entries.list', { entity_path: 'new', min_confidence: 0.8 })).entries).toMatchObject([
      { effective_confidence: 0.8 },
    ]);
    app.clock.advance(DAY);
  });
});

describe.each(backends)('memory that does not fade, on %s', (backend) => {
  it('shows nothing of it, and filters by what is stored', async () => {
    const app = await openTestApp(backend);
    try {
      await app.call('entries.write', { ...at('fact'), value: 'about fact', confidence: 0.8 }, AUTHOR);
      app.clock.advance(1000 * DAY);
      const { entries } = await app.call('entries.list', { min_confidence: 0.8 });
      const found = await app.call('entries.search', { query: 'fact', min_confidence: 0.8 });
      const written = await app.call('entries.write', { ...at('other'), value: 1 }, AUTHOR);
      for (const entry of [...entries, ...found.entries, written, await app.call('entries.read', at('fact'))])
        expect(entry).not.toHaveProperty('effective_confidence');
      expect([entries.length, found.entries.length]).toEqual([1, 1]);
    } finally {
      await app.close();
    }
  });
});

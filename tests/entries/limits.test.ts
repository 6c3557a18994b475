import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { refusal } from './support.ts';

describe.each(backends)('limits on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxValueBytes: 100 });
  });
  afterAll(() => app.close());

  it('a value of exactly the allowed bytes is taken, one more is not', async () => {
    const fits = 'x'.repeat(98);
    expect(await app.call('entries.write', { entity_path: 'l', key: 'fits', value: fits })).toMatchObject({
      version: 1,
    });
    const refused = await refusal(app.call('entries.write', { entity_path: 'l', key: 'over', value: `${fits}x` }));
    expect(refused).toMatchObject({ code: 'value_too_large', status: 413, max_value_bytes: 100, key: 'over' });
  });

  it('bytes are counted, not characters', async () => {
    expect(await app.call('entries.write', { entity_path: 'l', key: 'k', value: '€'.repeat(32) })).toMatchObject({
      version: 1,
    });
    const refused = await refusal(app.call('entries.write', { entity_path: 'l', key: 'k', value: '€'.repeat(33) }));
    expect(refused).toMatchObject({ code: 'value_too_large' });
  });

  it('a commit with one value that is too large writes nothing', async () => {
    const writes = [
      { entity_path: 'l', key: 'small', value: 1 },
      { entity_path: 'l', key: 'large', value: 'x'.repeat(200) },
    ];
    expect(await refusal(app.call('commits.create', { writes }))).toMatchObject({
      code: 'value_too_large',
      key: 'large',
    });
    const missing = await refusal(app.call('entries.read', { entity_path: 'l', key: 'small' }));
    expect(missing).toMatchObject({ code: 'not_found' });
  });
});

describe.each(backends)('the longest names on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  /** Varied letters, because PostgreSQL would compress a repeated one. */
  const letters = (count: number, first: number) =>
    String.fromCodePoint(...Array.from({ length: count }, (_, i) => first + ((i * 7919) % 15_013)));

  it.each([
    { kind: 'of three bytes a letter', first: 0x4e00, lengths: [512, 256, 85] },
    { kind: 'of four bytes a letter', first: 0x20000, lengths: [384, 192, 64] },
  ])('$kind are written, read, listed, counted and erased', async ({ first, lengths }) => {
    const [entity_path, key, name] = lengths.map((length) => letters(length, first)) as [string, string, string];
    const at = { entity_path, key };
    const names = { pattern_refs: [name], agent_id: name, session_id: name };
    for (const value of [1, 2]) await app.call('entries.write', { ...at, ...names, value, shared: false });
    const as = { agent_id: name };
    expect(await app.call('entries.read', at, as)).toMatchObject({ ...at, version: 2 });
    for (const sort of ['path', 'recent'] as const)
      expect((await app.call('entries.list', { agent_id: name, sort }, as)).entries).toHaveLength(1);
    expect((await app.call('patterns.list', {}, as)).patterns).toMatchObject([{ pattern_ref: name }]);
    const { erased } = await app.call('entries.erase', { entity_path }, as);
    expect(erased).toMatchObject({ entries: 1, versions: 2 });
  });
});

describe.each(backends)('large values on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxValueBytes: 8 * 1024 * 1024 });
  });
  afterAll(() => app.close());

  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const word = (i: number, alphabet: string, length: number) =>
    Array.from({ length }, (_, at) => alphabet[(i * 7 + at * (1 + (i % 13)) + Math.floor(i / (at + 1))) % 26]).join('');

  it.each([
    ['many long words', letters],
    ['many long words of another script', Array.from(letters, (_, i) => String.fromCharCode(0x10d0 + i)).join('')],
  ])('a value of %s is stored and found', async (_, alphabet) => {
    const value = Array.from({ length: 20_000 }, (_, i) => word(i, alphabet, 64)).join(' ');
    const at = { entity_path: 'large', key: alphabet.slice(0, 3) };
    await app.call('entries.write', { ...at, value });
    expect((await app.call('entries.read', at)).value).toBe(value);
    const { entries } = await app.call('entries.search', { query: value.slice(0, 64) });
    expect(entries[0]).toMatchObject(at);
  });

  it('one word of a megabyte is stored', async () => {
    const at = { entity_path: 'large', key: 'word' };
    await app.call('entries.write', { ...at, value: 'x'.repeat(1024 * 1024) });
    expect(await app.call('entries.read', at)).toMatchObject({ version: 1 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('searching for words on %s', (backend) => {
  let app: TestApp;
  const found = async (query: string, agent_id = 'agent/test') =>
    (await app.call('entries.search', { query }, { agent_id })).entries.map((entry) => entry.key).sort();

  const texts: Record<string, unknown> = {
    gateway: 'Gateways were retrying the payments too often',
    policy: { policies: { retry: 'exponential backoff' } },
    camel: { maxRetryCount: 3, HTTPServerError: true },
    snake: 'the flag enable_dark_mode is off',
    dotted: 'see com.example.BillingService for the rules',
    accents: 'Le café de l’élève était fermé; Ærøskøbing; Москва́; Ὀδυσσεύς',
    german: 'Die Straße ist gesperrt',
    japanese: '東京都の気温は高い',
    korean: '한국어 문서를 검색합니다',
    thai: 'ภาษาไทยไม่มีช่องว่าง',
    emoji: 'shipped 🚀 party',
    numbers: { port: 8443, ratio: 0.125, flag: true },
    phrase: 'the quick brown fox jumps over the lazy dog',
    scattered: 'a fox that is brown can be quick',
    'kebab-key': 1,
    nested: { a: [{ b: { c: ['deeplynested'] } }] },
  };

  beforeAll(async () => {
    app = await openTestApp(backend);
    const writes = Object.entries(texts).map(([key, value]) => ({ entity_path: 'search/text', key, value }));
    await app.call('commits.create', {
      writes: [...writes, { entity_path: 'search/findMyPath', key: 'path', value: 1 }],
    });
  });
  afterAll(() => app.close());

  it.each([
    ['another form of a word', 'gateway', ['gateway']],
    ['the verb', 'retries', ['camel', 'gateway', 'policy']],
    ['any of the words', 'gateways dark', ['gateway', 'snake']],
    ['a plural', 'policy', ['policy']],
    ['letters of any case', 'GATEWAY', ['gateway']],
    ['the names of members', 'backoff', ['policy']],
    ['a part of a camelCase name', 'retry count', ['camel', 'gateway', 'policy']],
    ['a whole camelCase name', 'maxretrycount', ['camel']],
    ['a camelCase name as it is written', 'maxRetryCount', ['camel']],
    ['a name with capitals at the start', 'HTTPServer', ['camel']],
    ['a part of a snake_case name', 'dark', ['snake']],
    ['a whole snake_case name', 'enable_dark_mode', ['snake']],
    ['a dotted name', 'com.example.BillingService', ['dotted']],
    ['the last part of a dotted name', 'billing', ['dotted']],
    ['a word without its accents', 'cafe eleve', ['accents']],
    ['a word with its accents', 'élève', ['accents']],
    ['accents composed another way', 'e\u0301le\u0300ve', ['accents']],
    ['a Cyrillic word without its stress', 'Москва', ['accents']],
    ['a Greek word without its breathing', 'Οδυσσευς', ['accents']],
    ['ß', 'Straße', ['german']],
    ['two Japanese letters', '東京', ['japanese']],
    ['Japanese letters in the middle', '気温', ['japanese']],
    ['one Japanese letter', '気', ['japanese']],
    ['a Korean word', '문서', ['korean']],
    ['a piece of Thai', 'ไทย', ['thai']],
    ['a number', '8443', ['numbers']],
    ['a part of the key', 'kebab', ['kebab-key']],
    ['a part of the path', 'find my', ['path']],
    ['a value deep inside', 'deeplynested', ['nested']],
    ['a phrase', '"quick brown fox"', ['phrase']],
    ['the words of a phrase without quotes', 'quick brown', ['phrase', 'scattered']],
    ['a phrase or a word', '"brown fox" gateway', ['gateway', 'phrase']],
    ['a phrase in another order', '"fox brown"', []],
    ['a prefix', 'gate*', ['gateway']],
    ['a prefix that ends within the stem', 'policy*', ['policy']],
    ['a short prefix', 'depl* deepl*', ['nested']],
    ['words that nothing holds', 'zebra', []],
  ])('finds by %s: %s', async (_, query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it.each([
    '"',
    '""',
    '"unclosed phrase',
    '*',
    '***',
    'a*b',
    'AND',
    'OR NOT',
    'NEAR(a b)',
    'NEAR(',
    'key:gateway',
    ':',
    "'",
    "it's",
    '\\',
    '\0',
    'a\0b',
    '()',
    '(a',
    '{x}',
    '^a',
    '-',
    '--',
    '- gateway',
    '+a',
    'a & b | !c',
    '<->',
    'a:*',
    "':*",
    '🚀',
    '👩‍👩‍👧',
    '\ud800',
    '%',
    '_',
    '?',
    '$1',
    '; DROP TABLE entries',
    '\u200d',
    '\u00ad',
    'ﬀ',
    'İ',
    'ǅ',
    '·',
    '1·gateway',
    '\n\t ',
  ])('any text is a query: %j', async (query) => {
    const { entries } = await app.call('entries.search', { query });
    expect(Array.isArray(entries)).toBe(true);
  });

  it('a query of the greatest length is a query', async () => {
    for (const query of [
      'x'.repeat(4096),
      'ab '.repeat(1365),
      '"'.repeat(4096),
      '漢'.repeat(4096),
      '*zz'.repeat(1365),
    ]) {
      expect(await found(query)).toEqual([]);
    }
  });

  it('a query of nothing but signs finds nothing, an empty one is no query', async () => {
    expect(await found('?!')).toEqual([]);
    expect((await found('   ')).length).toBe(Object.keys(texts).length + 1);
  });

  it('operators of the databases are words', async () => {
    await app.call('entries.write', { entity_path: 'search/text', key: 'operators', value: 'AND OR NOT NEAR' });
    expect(await found('near')).toEqual(['operators']);
    expect(await found('zebra AND gateway')).toEqual(['gateway', 'operators']);
  });

  it('old words are removed when a value changes', async () => {
    const at = { entity_path: 'search/change', key: 'changing' };
    await app.call('entries.write', { ...at, value: 'aardvark' });
    expect(await found('aardvark')).toEqual(['changing']);
    await app.call('entries.write', { ...at, value: 'buffalo' });
    expect(await found('aardvark')).toEqual([]);
    expect(await found('buffalo')).toEqual(['changing']);
    await app.call('entries.restore', { ...at, version: 1 });
    expect(await found('aardvark')).toEqual(['changing']);
  });

  it('what is deleted, expired or private to another is not found', async () => {
    const write = (key: string, more: object = {}) =>
      app.call('entries.write', { entity_path: 'search/hide', key, value: 'chameleon', ...more });
    await write('deleted');
    await write('private', { shared: false });
    await write('short', { ttl_seconds: 10 });
    await write('seen');
    expect(await found('chameleon')).toEqual(['deleted', 'private', 'seen', 'short']);
    await app.call('entries.delete', { entity_path: 'search/hide', key: 'deleted' });
    app.clock.advance(10_000);
    expect(await found('chameleon')).toEqual(['private', 'seen']);
    expect(await found('chameleon', 'agent/other')).toEqual(['seen']);
    await app.jobs.sweep();
    expect(await found('chameleon')).toEqual(['private', 'seen']);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_INDEXED_WORDS, parts, words, wordsOfEntry, wordsOfEntryInSteps } from './words.ts';

const CLEAN = /^[\p{L}\p{N}\p{M}]+$/u;

const anyText = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((points) => String.fromCodePoint(...points)),
  fc
    .array(
      fc.constantFrom(
        'a',
        'B',
        's',
        '1',
        '_',
        '-',
        ' ',
        '"',
        "'",
        '\\',
        'é',
        '\u0301',
        '東',
        'が',
        '각',
        '½',
        '…',
        '😀',
      ),
    )
    .map((pieces) => pieces.join('')),
);

describe('words', () => {
  it('are lower case and stemmed', () => {
    expect(words('Retrying FAILED payments, twice.')).toEqual(['retri', 'fail', 'payment', 'twice']);
  });

  it('of identifiers are their parts', () => {
    expect(words('snake_case kebab-case dotted.name path/to')).toEqual([
      'snake',
      'case',
      'kebab',
      'case',
      'dot',
      'name',
      'path',
      'to',
    ]);
    expect(words('retryPolicy_v2')).toEqual(['retrypolici', 'retri', 'polici', 'v2']);
    expect(words('HTTPServer')).toEqual(['httpserver', 'http', 'server']);
    expect(words('SHA256Hash')).toEqual(['sha256hash', 'sha256', 'hash']);
    expect(words('straßeName')).toEqual(['straßename', 'straße', 'name']);
  });

  it('are not split between letters and digits, nor at the plural of an abbreviation', () => {
    expect(words('v2 utf8 3F2A9B 7d')).toEqual(['v2', 'utf8', '3f2a9b', '7d']);
    expect(words('URLs IDs')).toEqual(['url', 'id']);
    expect(words('The API')).toEqual(['the', 'api']);
  });

  it('lose the accents of Latin, Greek and Cyrillic', () => {
    expect(words('Café ÉCOLE naïve İstanbul')).toEqual(words('cafe ecole naive istanbul'));
    expect(words('ёлка Йод')).toEqual(['елка', 'иод']);
    expect(words('Ελλάδα')).toEqual(['ελλαδα']);
    expect(words('é'.normalize('NFD'))).toEqual(['e']);
  });

  it('keep the marks of scripts that need them', () => {
    expect(words('नमस्ते दुनिया')).toEqual(['नमस्ते', 'दुनिया']);
    expect(words('مُحَمَّد')).toEqual(['مُحَمَّد'.normalize('NFC')]);
  });

  it('are pairs of letters where a script has no spaces', () => {
    expect(words('東京都')).toEqual(['東京', '京都']);
    expect(words('東')).toEqual(['東']);
    expect(words('リトライ policyを確認')).toEqual(['リト', 'トラ', 'ライ', 'polici', 'を確', '確認']);
    expect(words('한국어 검색')).toEqual(['한국', '국어', '검색']);
    expect(words('がき'.normalize('NFD'))).toEqual(['がき']);
    expect(words('𠮷野家')).toEqual(['𠮷野', '野家']);
    expect(words('สวัสดี')).toHaveLength(5);
  });

  it('are the same for compatible forms of a text', () => {
    expect(words('ｆｕｌｌＷｉｄｔｈ ﬁle ①')).toEqual(words('fullWidth file 1'));
    expect(words('ｶﾞｲﾄﾞ')).toEqual(words('ガイド'));
    expect(words('co\u00adoperate 1️⃣ ❤️')).toEqual(['cooper', '1']);
  });

  it('are cut at 64 code units, never within a character', () => {
    expect(words(`${'a1'.repeat(40)} b`)).toEqual(['a1'.repeat(32), 'b']);
    expect(words(`x${'𐐨'.repeat(40)}`)).toEqual([`x${'𐐨'.repeat(31)}`]);
  });

  it('hold only letters, digits and marks, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const word of [...words(text), ...parts(text)]) {
          expect(word).toMatch(CLEAN);
          expect(word).not.toMatch(/[A-Z]/);
          expect(word.length).toBeLessThanOrEqual(64);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('do not depend on the text around them', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(words(`${a} / ${b}`)).toEqual([...words(a), ...words(b)]);
      }),
    );
  });
});

describe('parts', () => {
  it('are not stemmed and leave out the whole of a camelCase word', () => {
    expect(parts('retryPolicies_v2 running')).toEqual(['retry', 'policies', 'v2', 'running']);
  });
});

describe('wordsOfEntry', () => {
  const address = { entity_path: 'checkout/payments', key: 'retry-policy' };
  const prefix = ['checkout', 'payment', 'retri', 'polici'];

  it('are those of path, key, and the names and leaves of the value in order', () => {
    const value = { max_attempts: 5, nested: [{ on: true }, 'text here', null, -1.5], __proto__key: 'x' };
    expect(wordsOfEntry({ ...address, value })).toEqual([
      ...prefix,
      'max',
      'attempt',
      '5',
      'nest',
      'on',
      'true',
      'text',
      'here',
      '1',
      '5',
      'proto',
      'key',
      'x',
    ]);
    expect(wordsOfEntry({ ...address, value: JSON.parse('{"__proto__":"own"}') })).toEqual([...prefix, 'proto', 'own']);
    for (const [value, word] of [
      ['text', 'text'],
      [12, '12'],
      [false, 'fals'],
    ] as const) {
      expect(wordsOfEntry({ ...address, value })).toEqual([...prefix, word]);
    }
    for (const value of [null, [], {}]) expect(wordsOfEntry({ ...address, value })).toEqual(prefix);
  });

  it('keep the parts of camelCase words together and add the wholes at the end', () => {
    expect(wordsOfEntry({ ...address, value: 'use retryPolicy now' })).toEqual([
      ...prefix,
      'use',
      'retri',
      'polici',
      'now',
      'retrypolici',
    ]);
  });

  it('end at the limit, for one long text as for many short ones', () => {
    for (const value of [
      'word '.repeat(20_000),
      Array(20_000).fill('word'),
      'aB'.repeat(20_000),
      '東京'.repeat(20_000),
    ]) {
      expect(wordsOfEntry({ ...address, value })).toHaveLength(MAX_INDEXED_WORDS);
    }
  });

  it('of deep values need no deep stack', () => {
    let value: unknown = 'deep';
    for (let level = 0; level < 100_000; level++) value = [value];
    expect(wordsOfEntry({ ...address, value })).toEqual([...prefix, 'deep']);
  });

  it.each(['retry policy, ', '東京、大阪。', 'résumé—naïve—', 'café au lait ', 'ภาษาไทย '])(
    'of a long text are those of the text as a whole: %s',
    (text) => {
      const value = text.repeat(4_000);
      expect(wordsOfEntry({ ...address, value })).toEqual([...prefix, ...words(value)].slice(0, MAX_INDEXED_WORDS));
    },
  );

  it.each([
    ['a text of a megabyte', 'retry policies '.repeat(70_000), 8],
    ['few long words', `${'x'.repeat(20_000)} `.repeat(50), 50],
    ['words of another script', 'é—'.repeat(500_000), 2],
    ['a name of a member', { ['long name '.repeat(100_000)]: 1 }, 4],
    ['many members', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i])), 4],
  ])('are collected in steps, and are the same: %s', (_what, value, least) => {
    const steps = wordsOfEntryInSteps({ ...address, value });
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(step.value).toEqual(wordsOfEntry({ ...address, value }));
    expect(count).toBeGreaterThanOrEqual(least);
  });

  it('of a run without an end are read only as far as they fit into the index', () => {
    const endless = 'é'.repeat(500_000);
    expect(wordsOfEntry({ ...address, value: `${endless} after` })).toEqual([...prefix, 'e'.repeat(64), 'after']);
  });
});

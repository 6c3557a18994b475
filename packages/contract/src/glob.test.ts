import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityPathProblem, globRange, keyProblem, matchesGlob, parseGlob, utf8Length } from './glob.ts';

const segment = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'a0', 'a-', '.a', 'a*b', '0', '日本', '😀', 'é'),
  fc.stringMatching(/^[a-c0./-]{1,3}$/).map((text) => text.replaceAll('/', 'x').replaceAll('.', 'y')),
);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const starless = path.map((text) => text.replaceAll('*', 'x'));

function matches(glob: string, text: string): boolean {
  const parsed = parseGlob(glob);
  if (!parsed) throw new Error(`not a glob: ${glob}`);
  return matchesGlob(parsed, text);
}

function modelMatches(glob: string, text: string): boolean {
  if (glob === '*' || glob === '**') return true;
  const wanted = glob.split('/');
  const given = text.split('/');
  const last = wanted.at(-1);
  if (last !== '*' && last !== '**') return glob === text;
  const base = wanted.slice(0, -1);
  const below = given.length > base.length && base.every((one, index) => one === given[index]);
  return below && (last === '**' || given.length === base.length + 1);
}

describe('globs', () => {
  it('match as the language says', () => {
    expect(matches('a/b', 'a/b')).toBe(true);
    expect(matches('a/b', 'a/b/c')).toBe(false);
    expect(matches('a/*', 'a/x')).toBe(true);
    expect(matches('a/*', 'a')).toBe(false);
    expect(matches('a/*', 'a/x/y')).toBe(false);
    expect(matches('a/*', 'ab/x')).toBe(false);
    expect(matches('a/**', 'a/x')).toBe(true);
    expect(matches('a/**', 'a/x/y/z')).toBe(true);
    expect(matches('a/**', 'a')).toBe(false);
    expect(matches('a/**', 'ab')).toBe(false);
    for (const all of ['*', '**']) expect(matches(all, 'any/path')).toBe(true);
  });

  it('are refused when a star stands anywhere but as the last segment', () => {
    const bad = [
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '*/a',
      '**/a',
      'a/*/b',
      'a/**/b',
      'a*',
      '*a',
      'a/b*',
      'a/***',
      '***',
      '/*',
    ];
    for (const text of [...bad, '/**', 'a/./b', '../*', './**', 'a\n/*', '*/*', '**/**', 'a/*/*']) {
      expect(parseGlob(text), text).toBeUndefined();
    }
  });

  it('agree with a naive model on any path', () => {
    const glob = fc.oneof(
      starless,
      starless.map((base) => `${base}/*`),
      starless.map((base) => `${base}/**`),
      fc.constantFrom('*', '**'),
    );
    fc.assert(fc.property(glob, path, (text, one) => matches(text, one) === modelMatches(text, one)));
    fc.assert(
      fc.property(starless, path, (base, rest) => {
        const below = `${base}/${rest}`;
        return [base, `${base}/*`, `${base}/**`].every((text) => matches(text, below) === modelMatches(text, below));
      }),
    );
  });

  it('have a byte range that holds everything below the base and nothing else', () => {
    expect(globRange({ kind: 'all' })).toBeUndefined();
    expect(globRange({ kind: 'exact', path: 'a' })).toBeUndefined();
    expect(globRange({ kind: 'children', base: 'a/b' })).toEqual({ from: 'a/b/', to: 'a/b0' });
    const bytes = (text: string) => Buffer.from(text);
    fc.assert(
      fc.property(starless, path, fc.boolean(), (base, other, under) => {
        const one = under ? `${base}/${other}` : other;
        const range = globRange({ kind: 'below', base });
        if (!range) return false;
        const inside = bytes(one).compare(bytes(range.from)) >= 0 && bytes(one).compare(bytes(range.to)) < 0;
        return inside === matchesGlob({ kind: 'below', base }, one);
      }),
    );
  });
});

describe('entity paths', () => {
  it('are accepted with any letters, spaces and dots within a longer segment', () => {
    for (const text of ['a', 'a/b', 'a b/c', 'a.b/.c', '...', '日本/語', '😀', 'a/b/c/d/e']) {
      expect(entityPathProblem(text), text).toBeUndefined();
    }
  });

  it('are refused with a segment that is empty or reserved', () => {
    for (const text of [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '*',
      '**',
      'a/.',
      './a',
      'a/../b',
      'a/*',
      'a/**/b',
      'a*b',
    ]) {
      expect(entityPathProblem(text), text).toMatch(/^must/);
    }
  });

  it('hold up to 512 characters, where a character outside the BMP is one', () => {
    expect(entityPathProblem('a'.repeat(512))).toBeUndefined();
    expect(entityPathProblem('語'.repeat(512))).toBeUndefined();
    expect(entityPathProblem(`${'a'.repeat(500)}${'😀'.repeat(12)}`)).toBeUndefined();
    expect(entityPathProblem('a'.repeat(513))).toMatch(/512/);
    expect(entityPathProblem(`${'a'.repeat(500)}${'😀'.repeat(13)}`)).toMatch(/512/);
  });

  it('hold up to 1536 bytes', () => {
    expect(entityPathProblem('😀'.repeat(384))).toBeUndefined();
    expect(entityPathProblem('😀'.repeat(385))).toMatch(/1536 bytes/);
  });

  it('are measured in the bytes of UTF-8', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Length(text) === Buffer.byteLength(text)));
  });

  it('hold no control characters and no lone surrogates', () => {
    for (const text of ['a\0', '\n', 'a\u001fb', 'a\u007f', '\u0080', '\u009f', '\ud800', 'a\udc00', '\udc00\ud800']) {
      expect(entityPathProblem(text), JSON.stringify(text)).toMatch(/^must/);
      expect(keyProblem(text), JSON.stringify(text)).toMatch(/^must/);
    }
    expect(entityPathProblem('a\u00a0b')).toBeUndefined();
  });

  it('agree with a naive model on any text', () => {
    const text = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.array(fc.constantFrom('a', '/', '.', '*', '\ud83d', '\ude00', '\u0085', 'é')).map((units) => units.join('')),
    );
    const valid = (one: string) =>
      one.split('/').every((part) => !['', '.', '..'].includes(part)) && !/[\p{Cc}\p{Cs}*]/u.test(one);
    fc.assert(fc.property(text, (one) => (entityPathProblem(one) === undefined) === valid(one)));
  });
});

describe('keys', () => {
  it('may hold slashes and stars', () => {
    for (const text of ['a', 'a/b', '/', 'a//b', '*', '...', 'history', '😀'])
      expect(keyProblem(text), text).toBeUndefined();
  });

  it('are not empty, not a dot or two, and up to 256 characters', () => {
    for (const text of ['', '.', '..']) expect(keyProblem(text), text).toMatch(/^must/);
    expect(keyProblem('語'.repeat(256))).toBeUndefined();
    expect(keyProblem('a'.repeat(257))).toMatch(/256/);
    expect(keyProblem('😀'.repeat(193))).toMatch(/768 bytes/);
  });
});

import { entityPathProblem, keyProblem } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCause, groupByEntry, parseCause } from './causes.ts';

describe('a cause', () => {
  it('as text is split at the last slash', () => {
    expect(parseCause('checkout/payments/retry-policy')).toEqual({
      entity_path: 'checkout/payments',
      key: 'retry-policy',
    });
  });

  it('has a slash of its key written as %2F and a percent sign as %25', () => {
    expect(parseCause('a/b%2Fc')).toEqual({ entity_path: 'a', key: 'b/c' });
    expect(parseCause('a/b%2fc%2Fd')).toEqual({ entity_path: 'a', key: 'b/c/d' });
    expect(parseCause('a/b%252Fc')).toEqual({ entity_path: 'a', key: 'b%2Fc' });
    expect(formatCause({ entity_path: 'a', key: '100%/day' })).toBe('a/100%25%2Fday');
  });

  it('takes any other percent sign for itself, and all of the path', () => {
    expect(parseCause('a%2Fb%25/50%')).toEqual({ entity_path: 'a%2Fb%25', key: '50%' });
    expect(parseCause('a/%20')).toEqual({ entity_path: 'a', key: '%20' });
  });

  it('may be an object, which keeps what is known of the read', () => {
    expect(parseCause({ entity_path: 'a', key: 'b/c%2F', version: 3 })).toEqual({
      entity_path: 'a',
      key: 'b/c%2F',
      version: 3,
    });
  });

  it('has names in NFC', () => {
    expect(parseCause('caf\u0065\u0301/\u0065\u0301')).toEqual({ entity_path: 'caf\u00e9', key: '\u00e9' });
    expect(parseCause({ entity_path: '\u0065\u0301', key: 'k' })?.entity_path).toBe('\u00e9');
  });

  it('is refused where it cannot name an entry', () => {
    for (const text of [
      '',
      'no-slash',
      '/key',
      'path/',
      'a//b',
      'a/*/b',
      'a/..',
      '../b',
      'a/\n',
      `a/${'k'.repeat(257)}`,
    ])
      expect(parseCause(text), text).toBeUndefined();
    expect(parseCause({ entity_path: '', key: 'k' })).toBeUndefined();
  });

  it('comes back from its text', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.normalize('NFC'));
    const tricky = fc.stringMatching(/^[a%/2F5]{1,12}$/);
    const paths = fc.oneof(names, tricky).filter((text) => !entityPathProblem(text));
    const keys = fc.oneof(names, tricky).filter((text) => !keyProblem(text));
    fc.assert(
      fc.property(paths, keys, (entity_path, key) => {
        expect(parseCause(formatCause({ entity_path, key }))).toEqual({ entity_path, key });
      }),
    );
  });

  it('is put together with others of its entry', () => {
    const [a, b, again] = [
      { entity_path: 'x', key: 'a', version: 1 },
      { entity_path: 'x', key: 'b' },
      { entity_path: 'x', key: 'a', version: 2 },
    ] as const;
    expect(groupByEntry([a, b, again])).toEqual([[a, again], [b]]);
    expect(groupByEntry([])).toEqual([]);
  });
});

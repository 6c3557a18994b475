import { entityPathProblem, keyProblem } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, firstLine, keyOf, latest, oneLine, pathSegment, timeOf, timeOfMs, timeOfSeconds } from './text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 3000 }),
);

describe('a cut text', () => {
  it('ends with an ellipsis and is no longer than asked for', () => {
    expect(cutText('short')).toBe('short');
    expect(cutText('x'.repeat(5000))).toBe(`${'x'.repeat(3999)}…`);
    expect(cutText('one two three', 9)).toBe('one two…');
  });

  it('never ends in half of a character, and holds no NUL', () => {
    expect(cutText('a\0b')).toBe('a b');
    for (const max of [2, 3, 4, 5]) expect(cutText('😀😀😀😀', max).isWellFormed()).toBe(true);
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 50 }), (text, max) => {
        const cut = cutText(text, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toContain('\0');
      }),
    );
  });

  it('has nothing that a database refuses', () => {
    expect(cutText('a\0b\ud800')).toBe('a b\ufffd');
  });

  it('may be put on one line', () => {
    expect(oneLine('  two\r\n\tlines\0 of text', 14)).toBe('two lines of…');
    fc.assert(
      fc.property(anyText, (text) => {
        expect(oneLine(text, 20)).toMatch(/^\P{Cc}{0,20}$/u);
      }),
    );
  });

  it('may be its first line', () => {
    expect(firstLine('\n  Fix the pool\n\nIt leaked.')).toBe('Fix the pool');
    expect(firstLine('windows\r\nline')).toBe('windows');
  });
});

describe('a name', () => {
  it('is a legal segment of a path whatever it holds', () => {
    expect(pathSegment('hello-world')).toBe('hello-world');
    expect(pathSegment('Checkout / Payments')).toBe('Checkout-Payments');
    expect(pathSegment('..')).toBe('unknown');
    expect(pathSegment('dependabot[bot]')).toBe('dependabot[bot]');
    fc.assert(
      fc.property(anyText, (name) => {
        expect(entityPathProblem(`repos/${pathSegment(name)}/${pathSegment(name)}`)).toBeUndefined();
        expect(pathSegment(name)).not.toContain('/');
      }),
    );
  });

  it('is part of a legal key whatever it holds', () => {
    expect(keyOf('branch', 'feature/login')).toBe('branch-feature/login');
    fc.assert(
      fc.property(anyText, (name) => {
        expect(keyProblem(keyOf('branch', name))).toBeUndefined();
      }),
    );
  });

  it('stays different from another long one that begins alike', () => {
    const long = 'a'.repeat(5000);
    expect(keyOf('branch', `${long}1`)).not.toBe(keyOf('branch', `${long}2`));
    expect(pathSegment(`${long}1`)).not.toBe(pathSegment(`${long}2`));
  });
});

describe('a time of a sender', () => {
  it('is read in each form that senders use', () => {
    expect(timeOf('2019-05-15T15:20:33Z')).toBe('2019-05-15T15:20:33.000Z');
    expect(timeOf('2019-05-15T17:20:33+02:00')).toBe('2019-05-15T15:20:33.000Z');
    expect(timeOf('2019-05-15T15:20:33.123+0000')).toBe('2019-05-15T15:20:33.123Z');
    expect(timeOf('2014-10-09 23:10:34 UTC')).toBe('2014-10-09T23:10:34.000Z');
    expect(timeOf('2014-10-09T23:10:34')).toBe('2014-10-09T23:10:34.000Z');
    expect(timeOfSeconds('1531420618.000200')).toBe('2018-07-12T18:36:58.000Z');
    expect(timeOfSeconds(1531420618)).toBe('2018-07-12T18:36:58.000Z');
    expect(timeOfMs(1531420618000)).toBe('2018-07-12T18:36:58.000Z');
  });

  it('is none where the value is no time', () => {
    for (const value of ['', 'yesterday', '1', '2019-99-99T99:99:99Z', null, {}, 7])
      expect(timeOf(value)).toBeUndefined();
    for (const value of [Number.NaN, -1, 1e18, '1']) expect(timeOfMs(value)).toBeUndefined();
    for (const value of ['x', '', null, 1e15]) expect(timeOfSeconds(value)).toBeUndefined();
  });

  it('can be the latest of several', () => {
    expect(latest(undefined, '2019-05-15T15:20:33.000Z', '2020-05-15T15:20:33.000Z')).toBe('2020-05-15T15:20:33.000Z');
    expect(latest()).toBeUndefined();
  });
});

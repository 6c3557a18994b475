import { type Glob, parseGlob } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { firstExcess, type KeyGrant, type KeyScope } from './scopes.ts';

const globs = (...texts: readonly string[]) => texts.map((text) => parseGlob(text) as Glob);
const grant = (pattern: string, permission: KeyScope['permission'], ...entity_paths: readonly string[]): KeyGrant => ({
  scopes: [{ pattern, permission }],
  entity_paths,
});

describe('what a key grants beyond its own rights', () => {
  it('is found by its pattern, unless everything it is narrowed to is had', () => {
    const scopes = { READ: undefined, WRITE: [globs('a/**', 'b/*')] };
    expect(firstExcess(grant('**', 'READ'), scopes)).toBeUndefined();
    expect(firstExcess(grant('a/x/*', 'READ_WRITE'), scopes)).toBeUndefined();
    expect(firstExcess(grant('c/**', 'READ_WRITE'), scopes)).toBe('WRITE on c/**');
    expect(firstExcess(grant('**', 'WRITE', 'a/x', 'b/y'), scopes)).toBeUndefined();
    expect(firstExcess(grant('**', 'WRITE', 'a/x', 'b/y/z'), scopes)).toBe('WRITE on **');
    expect(firstExcess(grant('b/z', 'WRITE', 'c/x'), scopes)).toBeUndefined();
  });

  it('must be had in each part of a scope', () => {
    const scopes = { READ: [globs('a/**'), globs('a/x', 'b/**')], WRITE: undefined };
    expect(firstExcess(grant('a/x', 'READ'), scopes)).toBeUndefined();
    expect(firstExcess(grant('a/y', 'READ'), scopes)).toBe('READ on a/y');
    expect(firstExcess(grant('**', 'READ', 'a/x'), scopes)).toBeUndefined();
    expect(firstExcess(grant('a/**', 'READ', 'b/x'), scopes)).toBeUndefined();
  });

  it('takes little time, for the most patterns and paths that a key can have', () => {
    const long = (i: number) => `team/${'x'.repeat(480)}${i}/**`;
    const most = Array.from({ length: 100 }, (_, i) => long(i));
    const given: KeyGrant = {
      scopes: most.map((pattern) => ({ pattern, permission: 'READ_WRITE' })),
      entity_paths: most,
    };
    const own = [globs('team/**'), globs('other/**', 'team/**')];
    const before = process.cpuUsage();
    for (let key = 0; key < 50; key++) {
      expect(firstExcess(given, { READ: own, WRITE: own })).toBeUndefined();
      expect(firstExcess(given, { READ: undefined, WRITE: undefined })).toBeUndefined();
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

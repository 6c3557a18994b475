import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tenantProblem } from '../support/statements.ts';

const root = fileURLToPath(new URL('../../packages/', import.meta.url));
const SOURCES = ['server/src/kernel/', 'server/src/modules/', 'pro/src/'];

/** Where an engine is named. What is common to both is a member of `Dialect`; all else is run on both by the tests as it is. */
const BY_ENGINE: Record<string, readonly string[]> = {
  'words are indexed and found in the ways of each engine': [
    'server/src/modules/text/',
    'server/src/modules/search/',
    'server/src/modules/traces/',
    'server/src/modules/accounts/queries.ts',
    'pro/src/room-documents/',
    'pro/src/trace-navigation/',
  ],
  'functions have other names': [
    'server/src/kernel/reported-events.ts',
    'server/src/modules/counts/queries.ts',
    'server/src/modules/entries/evidence-sql.ts',
    'server/src/modules/recall/queries.ts',
  ],
  'each is given the shape that its planner takes well': [
    'server/src/kernel/planner.ts',
    'server/src/modules/entries/changed.ts',
    'server/src/modules/entries/count-changed.ts',
    'server/src/modules/entries/relation',
    'server/src/modules/entries/versions-by-name.ts',
  ],
  'on SQLite long work is done off the main thread, and a look-up costs no round trip': [
    'server/src/modules/entries/reads.ts',
    'server/src/modules/erasure/entries.ts',
    'server/src/modules/erasure/large.ts',
    'server/src/modules/outcomes/commit-handler.ts',
    'server/src/modules/sessions/',
  ],
  'space is given back in other ways': [
    'server/src/modules/accounts/end.ts',
    'server/src/modules/erasure/agent.ts',
    'server/src/modules/erasure/compact.ts',
    'server/src/modules/retention/enforce.ts',
  ],
  'several servers share a PostgreSQL': ['server/src/kernel/peers.ts', 'server/src/modules/usage/limiter.ts'],
};

const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const namesEngine = (file: string) => /'(?:sqlite|postgres)'/.test(code(readFileSync(root + file, 'utf8')));

describe('the statements of the service', () => {
  it('are the same on both engines, but where it is known why they are not', () => {
    const known = Object.values(BY_ENGINE).flat();
    const found = SOURCES.flatMap((folder) =>
      readdirSync(root + folder, { recursive: true }).map((file) => `${folder}${file}`),
    )
      .filter((file) => /(?<!migrations|\.test)\.ts$/.test(file) && namesEngine(file))
      .sort();
    expect(found.filter((file) => !known.some((start) => file.startsWith(start)))).toEqual([]);
    expect(known.filter((start) => !found.some((file) => file.startsWith(start)))).toEqual([]);
  });

  it('name the account whenever they touch a table that holds several', () => {
    expect(tenantProblem('SELECT value FROM entries WHERE key = ?')).toBeDefined();
    expect(tenantProblem('SELECT account_id, value FROM entries WHERE key = ?')).toBeDefined();
    expect(tenantProblem('INSERT INTO counts (branch, n) VALUES (?, ?)')).toBeDefined();
    expect(
      tenantProblem('DELETE FROM commits WHERE account_id = ? AND seq IN (SELECT seq FROM versions WHERE key = ?)'),
    ).toBeDefined();
    expect(tenantProblem('SELECT value FROM entries WHERE account_id = ? AND key = ?')).toBeUndefined();
  });
});

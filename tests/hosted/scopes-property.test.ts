import { randomUUID } from 'node:crypto';
import type { Request } from '@mem-service/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount, type Principal } from '../../packages/server/src/kernel/index.ts';
import { type KeyScope, scopeOf } from '../../packages/server/src/modules/keys/rules/scopes.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

/** Neighbours in the order of bytes too: what follows a slash, what comes before one, and beyond the first plane. */
const PATHS = ['a', 'a/b', 'a/b/c', 'a/b/c/d', 'a/c', 'a-b', 'a-b/c', 'a0', 'ab/c', 'b', 'b/a', '\uffee/x', '😀/x'];
const AGENTS = ['agent/a', 'agent/b'];
const TYPES = ['fact', 'belief'] as const;

const pattern = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('*', '**') },
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom('', '/*', '/**')).map((two) => two.join('')),
  },
);
const scope = fc.record({
  pattern,
  permission: fc.constantFrom('READ' as const, 'WRITE' as const, 'READ_WRITE' as const),
});
const entry = fc.record({
  entity_path: fc.constantFrom(...PATHS),
  key: fc.constantFrom('k1', 'k2'),
  agent: fc.constantFrom(...AGENTS),
  memory_type: fc.constantFrom(...TYPES),
  pattern_refs: fc.subarray(['p', 'q']),
});
type ScopedEntry = { entity_path: string; key: string; agent: string; memory_type: string; pattern_refs: string[] };

const world = fc.record({
  entries: fc.uniqueArray(entry, { maxLength: 16, selector: (one) => `${one.entity_path} ${one.key}` }),
  scopes: fc.array(scope, { maxLength: 4 }),
  entity_paths: fc.array(pattern, { maxLength: 2 }),
  asked: pattern,
});

/** As the docs say it, segment by segment. */
function matches(glob: string, path: string): boolean {
  if (glob === '*' || glob === '**') return true;
  const [segments, wanted] = [path.split('/'), glob.split('/')];
  const star = wanted.at(-1);
  if (star !== '*' && star !== '**') return glob === path;
  const base = wanted.slice(0, -1);
  const isBelow = segments.length > base.length && base.every((segment, i) => segments[i] === segment);
  return isBelow && (star === '**' || segments.length === base.length + 1);
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const distinct = (names: readonly string[]) => [...new Set(names)].sort(byBytes);
const FORBIDDEN = expect.objectContaining({ code: 'forbidden' });

describe.each(backends)('scopes against a plain model, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function newAccount(): Promise<string> {
    const account_id = randomUUID();
    const { database, clock } = app.kernel.services;
    await database.transaction((tx) => insertAccount(tx, account_id, clock.now()));
    return account_id;
  }

  type GrantInput = { scopes: KeyScope[]; entity_paths: string[] };

  function worldOf(account_id: string, { scopes, entity_paths }: GrantInput, entries: ScopedEntry[]) {
    const may = (right: string) => (path: string) =>
      scopes.some((one) => one.permission.includes(right) && matches(one.pattern, path)) &&
      (entity_paths.length === 0 || entity_paths.some((glob) => matches(glob, path)));
    const [read, write] = [scopeOf({ scopes, entity_paths }, 'READ'), scopeOf({ scopes, entity_paths }, 'WRITE')];
    const key: Principal = {
      key_id: 'k',
      name: 'k',
      type: 'agent',
      ...(read ? { read } : {}),
      ...(write ? { write } : {}),
    };
    const seen = entries
      .filter(({ entity_path }) => may('READ')(entity_path))
      .sort((a, b) => byBytes(a.entity_path, b.entity_path) || byBytes(a.key, b.key));
    const hasRead = scopes.some(({ permission }) => permission !== 'WRITE');
    return { may, seen, hasRead, as: { account_id, agent_id: 'agent/z', key } };
  }

  type ScopedWorld = ReturnType<typeof worldOf>;
  const nameOf = ({ entity_path, key }: { entity_path: string; key: string }) => `${entity_path} ${key}`;

  async function listAll({ as }: ScopedWorld, input: Request<'entries.list'>): Promise<string[]> {
    const names: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await app.call('entries.list', { ...input, limit: 2, ...(cursor ? { cursor } : {}) }, as);
      names.push(...page.entries.map(nameOf));
      if (page.next_cursor === null) return names;
      cursor = page.next_cursor;
    }
  }

  async function checkLists(world: ScopedWorld, asked: string): Promise<void> {
    const { seen, as } = world;
    const within = seen.filter(({ entity_path }) => matches(asked, entity_path));
    expect(await listAll(world, {})).toEqual(seen.map(nameOf));
    expect(await listAll(world, { entity_path: asked })).toEqual(within.map(nameOf));
    expect((await listAll(world, { sort: 'recent' })).sort()).toEqual(seen.map(nameOf).sort());
    for (const input of [{}, { query: 'wordly' }]) {
      const { entries, truncated } = await app.call('entries.search', { ...input, entity_path: asked }, as);
      expect(entries.map(nameOf).sort()).toEqual(within.map(nameOf).sort());
      expect(truncated).toBe(false);
    }
    expect(await app.call('entries.aggregate', { entity_path: asked }, as)).toMatchObject({
      entries_scanned: within.length,
    });
  }

  async function checkNumbers({ seen, as }: ScopedWorld): Promise<void> {
    const refs = seen.flatMap(({ pattern_refs }) => pattern_refs);
    const types = TYPES.flatMap((type) => {
      const n = seen.filter(({ memory_type }) => memory_type === type).length;
      return n === 0 ? [] : [[type, n]];
    });
    expect(await app.call('stats.read', {}, as)).toMatchObject({
      total_entries: seen.length,
      total_entities: distinct(seen.map(({ entity_path }) => entity_path)).length,
      total_agents: distinct(seen.map(({ agent }) => agent)).length,
      total_patterns: distinct(refs).length,
      memory_type_counts: Object.fromEntries(types),
    });
    const { entities } = await app.call('entities.list', {}, as);
    expect(entities.map(({ entity_path }) => entity_path)).toEqual(
      distinct(seen.map(({ entity_path }) => entity_path)),
    );
    const { patterns } = await app.call('patterns.list', {}, as);
    expect(patterns.map(({ pattern_ref, usage_count }) => [pattern_ref, usage_count])).toEqual(
      distinct(refs).map((ref) => [ref, refs.filter((one) => one === ref).length]),
    );
    const { agents } = await app.call('agents.list', {}, as);
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(distinct(seen.map(({ agent }) => agent)));
  }

  async function checkLog({ seen, as }: ScopedWorld): Promise<void> {
    const { events } = await app.call('log.list', { limit: 1000 }, as);
    const names = seen.map(nameOf).sort();
    expect(events.map((event) => nameOf(event as never)).sort()).toEqual(names);
    const stream = (await app.call('log.stream', { after: 0 }, as)) as unknown as { events: never[] };
    expect(stream.events.map(nameOf).sort()).toEqual(names);
  }

  it('shows what the scopes cover and takes what they allow, and nothing more', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ entries, scopes, entity_paths, asked }) => {
        const account_id = await newAccount();
        for (const { agent, ...draft } of entries)
          await app.call('entries.write', { ...draft, value: 'wordly' }, { account_id, agent_id: agent });
        const world = worldOf(account_id, { scopes, entity_paths }, entries);
        const { may, as, hasRead } = world;
        if (!hasRead) {
          await expect(app.call('entries.list', {}, as)).rejects.toEqual(FORBIDDEN);
          await expect(app.call('log.stream', { after: 0 }, as)).rejects.toEqual(FORBIDDEN);
        } else {
          await checkLists(world, asked);
          await checkNumbers(world);
          await checkLog(world);
        }
        for (const { entity_path, key } of entries) {
          const read = app.call('entries.read', { entity_path, key }, as);
          if (may('READ')(entity_path)) expect(await read).toMatchObject({ value: 'wordly' });
          else await expect(read).rejects.toEqual(FORBIDDEN);
        }
        for (const entity_path of PATHS) {
          const write = app.call('entries.write', { entity_path, key: 'new', value: 1 }, as);
          if (may('WRITE')(entity_path)) expect(await write).toMatchObject({ version: 1 });
          else await expect(write).rejects.toEqual(FORBIDDEN);
        }
      }),
      { numRuns: 40 },
    );
  });
});

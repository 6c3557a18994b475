import type { Request } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow, iso } from './support.ts';

type SearchRequest = Request<'entries.search'>;

const refs = [
  'plain',
  'with "quotes"',
  "it's",
  '100%',
  'under_score',
  'underXscore',
  'back\\slash',
  ',',
  'a,',
  'b',
  'PLAIN',
  '[]',
  'é',
];

describe.each(backends)('search filters on %s', (backend) => {
  let app: TestApp;
  let start: number;

  beforeAll(async () => {
    app = await openTestApp(backend);
    start = app.clock.now();
    const write = async (entity_path: string, key: string, fields: object = {}) => {
      app.clock.advance(1000);
      await app.call('entries.write', { entity_path, key, value: `heron ${key}`, ...fields });
    };
    await write('f/a', '1', { confidence: 0.9 });
    await write('f/a/x', '2', { confidence: 0.1, memory_type: 'belief' });
    await write('f/a/x/y', '3', { confidence: 0.5, agent_id: 'agent/two' });
    await write('f/ab', '4', { confidence: 0.6, memory_type: 'belief', agent_id: 'agent/two' });
    await write('f/b', 'five.py', { confidence: 0.7 });
    await write('f/b', 'private', { shared: false });
    for (const [i, ref] of refs.entries())
      await app.call('entries.write', {
        entity_path: 'ref',
        key: `r${i}`,
        value: 'heron',
        pattern_refs: [ref, `other${i}`],
      });
    await app.call('entries.write', { entity_path: 'ref', key: 'list', value: 'heron', pattern_refs: ['a,', 'b'] });
  });
  afterAll(() => app.close());

  it.each<[string, SearchRequest, string[]]>([
    ['an exact path', { entity_path: 'f/a' }, ['1']],
    ['a path and all below', { entity_path: 'f/a', include_descendants: true }, ['1', '2', '3']],
    ['direct children', { entity_path: 'f/*' }, ['1', '4', 'five.py', 'private']],
    ['everything below', { entity_path: 'f/a/**' }, ['2', '3']],
    ['a glob, descendants or not', { entity_path: 'f/a/*', include_descendants: true }, ['2']],
    ['everything, of an author', { entity_path: '*', agent_id: 'agent/two' }, ['3', '4']],
    ['least confidence', { entity_path: 'f/**', min_confidence: 0.7 }, ['1', 'five.py', 'private']],
    ['most confidence', { max_confidence: 0.5 }, ['2', '3']],
    ['confidence from and to', { min_confidence: 0.5, max_confidence: 0.6 }, ['3', '4']],
    ['type', { memory_type: 'belief' }, ['2', '4']],
    ['no artifacts', { entity_path: 'f/b', include_artifacts: false }, ['private']],
    ['author, type and confidence', { agent_id: 'agent/two', memory_type: 'belief', min_confidence: 0.6 }, ['4']],
    ['nothing', { entity_path: 'f/nothing' }, []],
  ])('filter by %s, with a query and without', async (_, input, expected) => {
    for (const query of ['heron', undefined]) {
      const { entries } = await app.call('entries.search', { ...input, query });
      expect(entries.map((entry) => entry.key).sort()).toEqual(expected);
      expect(entries.every((entry) => (entry.score === null) === (query === undefined))).toBe(true);
    }
  });

  it('since is included, until is not', async () => {
    const between = { since: iso(start + 2000), until: iso(start + 4000) };
    for (const query of ['heron', undefined]) {
      const { entries } = await app.call('entries.search', { ...between, query });
      expect(entries.map((entry) => entry.key).sort()).toEqual(['2', '3']);
    }
  });

  it('another agent does not find what is private', async () => {
    for (const query of ['heron', 'private', undefined]) {
      const { entries } = await app.call('entries.search', { query, entity_path: 'f/b' }, { agent_id: 'agent/two' });
      expect(entries.map((entry) => entry.key)).not.toContain('private');
    }
  });

  it.each(refs)('a pattern reference is found as it is: %j', async (pattern_ref) => {
    const expected = refs.flatMap((ref, i) => (ref === pattern_ref ? [`r${i}`] : []));
    if (pattern_ref === 'a,' || pattern_ref === 'b') expected.unshift('list');
    for (const query of ['heron', undefined]) {
      const { entries } = await app.call('entries.search', { query, pattern_ref });
      expect(entries.map((entry) => entry.key).sort()).toEqual(expected);
    }
  });

  it('without a query the most trusted come first', async () => {
    const { entries } = await app.call('entries.search', { entity_path: 'f/**' });
    expect(entries.map((entry) => entry.confidence)).toEqual([0.9, 0.7, 0.7, 0.6, 0.5, 0.1]);
  });

  it('pages without a query give everything once', async () => {
    const pages = await follow((cursor) => app.call('entries.search', { limit: 3, cursor }));
    const keys = pages.flatMap((page) => page.entries.map((entry) => entry.key));
    expect(keys).toHaveLength(refs.length + 7);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe.each(backends)('a search that has looked at enough on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxScannedEntries: 20 });
    const writes = Array.from({ length: 50 }, (_, i) => ({
      entity_path: 'enough',
      key: `k${i}`,
      value: `stork ${i}`,
      confidence: i / 100,
    }));
    await app.call('commits.create', { writes });
  });
  afterAll(() => app.close());

  it.each<[string, SearchRequest]>([
    ['with a query', { query: 'stork' }],
    ['with a query, sorted', { query: 'stork', sort_by: 'confidence' }],
    ['without a query', {}],
    ['without a query, at a path', { entity_path: 'enough' }],
  ])('says so %s, and its pages end', async (_, input) => {
    const whole = await app.call('entries.search', { ...input, limit: 1000 });
    expect(whole).toMatchObject({ truncated: true, has_more: false });
    expect(whole.entries).toHaveLength(20);
    const pages = await follow((cursor) => app.call('entries.search', { ...input, limit: 7, cursor }));
    expect(pages.map((page) => page.entries.length)).toEqual([7, 7, 6]);
    expect(pages.at(-1)?.truncated).toBe(true);
  });

  it('says nothing of the kind when all was looked at', async () => {
    const found = await app.call('entries.search', { query: 'k7' });
    expect(found).toMatchObject({ truncated: false, has_more: false });
    expect(found.entries).toHaveLength(1);
  });
});

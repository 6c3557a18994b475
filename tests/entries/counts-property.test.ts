import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow, rowsOf } from './support.ts';

const agents = ['agent/a', 'agent/b'] as const;
const agent = fc.constantFrom(...agents);
const place = { entity_path: fc.constantFrom('p', 'p/q', 'p/q/r'), key: fc.constantFrom('1', '2') };
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const draft = fc.record({
  ...place,
  value: fc.constantFrom(1, 2),
  shared: maybe(fc.boolean()),
  confidence: maybe(fc.constantFrom(0.1, 0.7)),
  memory_type: maybe(fc.constantFrom('fact' as const, 'belief' as const)),
  pattern_refs: maybe(fc.subarray(['x', 'y'])),
  ttl_seconds: maybe(fc.constantFrom(2, 5)),
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ name: fc.constant('entries.write' as const), agent, input: draft }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant('entries.delete' as const), agent, input: fc.record(place) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constant('entries.restore' as const),
      agent,
      input: fc.record({ ...place, version: fc.constantFrom(1, 2, 3) }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant('entries.erase' as const),
      agent,
      input: fc.record({ entity_path: fc.constantFrom('p', 'p/*', 'p/**'), key: maybe(place.key) }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant('commits.create' as const),
      agent,
      input: fc.record({ writes: fc.array(draft, { minLength: 1, maxLength: 4 }) }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ name: 'wait' as const }) },
);

type CountsStep = typeof step extends fc.Arbitrary<infer S> ? S : never;
type CountedRow = {
  entity_path: string;
  agent_id: string;
  memory_type: string;
  confidence: number;
  pattern_refs: string;
  written_at: number;
  shared: number;
};

const average = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

function groupsOf<T>(items: readonly T[], namesOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) for (const name of namesOf(item)) groups.set(name, [...(groups.get(name) ?? []), item]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const refsOf = (row: CountedRow) => [...new Set(JSON.parse(row.pattern_refs) as string[])];
const newest = (rows: readonly CountedRow[]) => Math.max(...rows.map((row) => row.written_at));

describe.each(backends)('counts on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function run(steps: readonly CountsStep[], account_id: string) {
    for (const { name, ...rest } of steps) {
      app.clock.advance(500);
      if (name === 'wait') {
        app.clock.advance(3000);
        continue;
      }
      const { agent: agent_id, input } = rest as { agent: string; input: never };
      // Some are refused; what they would have counted must not be.
      await app.call(name, input, { account_id, agent_id }).catch((error) => expect(error.code).toBeDefined());
    }
    await app.jobs.sweep();
  }

  async function compare(account_id: string, agent_id: string) {
    const as = { account_id, agent_id };
    const rows = await rowsOf<CountedRow>(
      app,
      'SELECT * FROM entries WHERE account_id = ? AND deleted = 0 AND (shared = 1 OR agent_id = ?) ORDER BY seq',
      account_id,
      agent_id,
    );
    const paths = groupsOf(rows, (row) => [row.entity_path]);
    const refs = groupsOf(rows, refsOf);
    const entities = (await follow((cursor) => app.call('entities.list', { limit: 2, cursor }, as))).flatMap(
      (page) => page.entities,
    );
    expect(entities.map(({ entity_path, entry_count }) => [entity_path, entry_count])).toEqual(
      [...paths].map(([path, some]) => [path, some.length]),
    );
    for (const entity of entities) {
      const some = paths.get(entity.entity_path) ?? [];
      expect(entity.avg_confidence).toBeCloseTo(average(some.map((row) => row.confidence)), 5);
      expect(Date.parse(entity.last_updated)).toBeGreaterThanOrEqual(newest(some));
    }
    const { patterns } = await app.call('patterns.list', {}, as);
    expect(patterns.map(({ pattern_ref, usage_count }) => [pattern_ref, usage_count])).toEqual(
      [...refs].map(([ref, some]) => [ref, some.length]),
    );
    for (const pattern of patterns)
      expect(Date.parse(pattern.last_used)).toBeGreaterThanOrEqual(newest(refs.get(pattern.pattern_ref) ?? []));
    const stats = await app.call('stats.read', {}, as);
    const times = rows.map((row) => new Date(row.written_at).toISOString());
    expect(stats).toMatchObject({
      total_entries: rows.length,
      total_entities: paths.size,
      total_agents: groupsOf(rows, (row) => [row.agent_id]).size,
      total_patterns: refs.size,
      memory_type_counts: Object.fromEntries(
        [...groupsOf(rows, (row) => [row.memory_type])].map(([type, some]) => [type, some.length]),
      ),
      oldest_entry_at: times[0] ?? null,
      newest_entry_at: times.at(-1) ?? null,
    });
    if (rows.length === 0) expect(stats.confidence_avg).toBeNull();
    else expect(stats.confidence_avg).toBeCloseTo(average(rows.map((row) => row.confidence)), 5);
  }

  it('are those of the entries that each agent may see, whatever was done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const account_id = randomUUID();
        await app.kernel.services.database.transaction((tx) => insertAccount(tx, account_id, app.clock.now()));
        await run(steps, account_id);
        for (const agent_id of [...agents, 'agent/nobody']) await compare(account_id, agent_id);
        expect(await app.call('entries.verify', {}, { account_id, agent_id: agents[0] })).toMatchObject({
          corrupted: [],
          chain_breaks: [],
        });
      }),
      { numRuns: backend === 'sqlite' ? 40 : 8 },
    );
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lineage } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';

const { lineages, branches } = namedBranches();
const WORDS = ['apple', 'pear', 'plum'] as const;
const at = fc.record({ entity_path: fc.constantFrom('p', 'p/q', 'r'), key: fc.constantFrom('1', '2') });
const on = fc.nat({ max: 5 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), on, at, word: fc.constantFrom(...WORDS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), on, at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork' as const), on }) },
);
type ModelStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A plain map per branch: a fork is a copy of it. */
type ModelBranch = { name: string; entries: Map<string, string>; lineage: Lineage };

describe.each(backends)('reads on branches on %s', (backend) => {
  let app: TestApp;
  let runs = 0;
  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
  });
  afterAll(() => app.close());

  async function apply(all: ModelBranch[], step: ModelStep, root: string): Promise<void> {
    const branch = all[step.on % all.length] as ModelBranch;
    if (step.kind === 'fork') {
      const { last_seq } = await app.call('stats.read', {});
      const name = `${root}-${all.length}`;
      const [own, ...rest] = branch.lineage as [Lineage[number], ...Lineage];
      const lineage = [{ branch: name, up_to_seq: null }, { ...own, up_to_seq: last_seq }, ...rest];
      lineages.set(name, lineage);
      all.push({ name, entries: new Map(branch.entries), lineage });
      return;
    }
    const place = { ...step.at, entity_path: `${root}/${step.at.entity_path}` };
    const name = `${place.entity_path} ${place.key}`;
    if (step.kind === 'write') {
      await app.call('entries.write', { ...place, value: step.word, branch: branch.name });
      branch.entries.set(name, step.word);
    } else if (branch.entries.delete(name)) await app.call('entries.delete', { ...place, branch: branch.name });
  }

  async function agrees({ name: branch, entries }: ModelBranch, root: string): Promise<void> {
    const within = { entity_path: `${root}/**`, branch };
    const nameOf = ({ entity_path, key }: { entity_path: string; key: string }) => `${entity_path} ${key}`;
    const listed = await app.call('entries.list', { ...within, limit: 100 });
    expect(new Map(listed.entries.map((one) => [nameOf(one), one.value]))).toEqual(entries);
    for (const word of WORDS) {
      const found = await app.call('entries.search', { ...within, query: word, limit: 100 });
      const wanted = [...entries].filter(([, value]) => value === word).map(([name]) => name);
      expect(found.entries.map(nameOf).sort()).toEqual(wanted.sort());
    }
    const counted = await app.call('entities.list', { ...within, limit: 100 });
    const counts = new Map<string, number>();
    for (const name of entries.keys()) {
      const path = name.slice(0, name.lastIndexOf(' '));
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    expect(new Map(counted.entities.map((one) => [one.entity_path, one.entry_count]))).toEqual(counts);
    const walked = await app.call('graph.neighbors', {
      entity: root,
      type: 'entity',
      branch,
      relation: 'wrote',
      limit: 100,
    });
    expect(new Set(walked.edges.map(({ target }) => target))).toEqual(
      new Set([...entries.keys()].map((name) => name.replace(' ', '/'))),
    );
  }

  it('agree with a plain map per branch after every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
        const root = `run${runs++}`;
        const main: ModelBranch = {
          name: 'main',
          entries: new Map(),
          lineage: [{ branch: 'main', up_to_seq: null }],
        };
        const all = [main];
        for (const step of steps) {
          app.clock.advance(1000);
          await apply(all, step, root);
          for (const branch of all) await agrees(branch, root);
        }
      }),
      { numRuns: backend === 'sqlite' ? 6 : 2 },
    );
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const WORDS = ['apple', 'pear', 'plum'] as const;
const STRATEGIES = ['THREE_WAY', 'BRANCH_WINS', 'MAIN_WINS', 'SQUASH', 'FAST_FORWARD'] as const;
const at = fc.record({ entity_path: fc.constantFrom('p', 'p/q'), key: fc.constantFrom('1', '2') });
const on = fc.nat({ max: 7 });
const strategy = fc.constantFrom(...STRATEGIES);
const of = <K extends string>(kind: K) => fc.constant(kind);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: of('write'), on, at, word: fc.constantFrom(...WORDS) }) },
  { weight: 3, arbitrary: fc.record({ kind: of('delete'), on, at }) },
  { weight: 3, arbitrary: fc.record({ kind: of('fork'), on }) },
  { weight: 4, arbitrary: fc.record({ kind: of('merge'), on, strategy }) },
  { weight: 2, arbitrary: fc.record({ kind: of('refresh'), on, strategy }) },
  { weight: 1, arbitrary: fc.record({ kind: of('judge'), on, at }) },
  { weight: 2, arbitrary: fc.record({ kind: of('rollback'), on, to: fc.nat({ max: 20 }) }) },
);
type HistoryStep = typeof step extends fc.Arbitrary<infer S> ? S : never;
type StepOf<K extends HistoryStep['kind']> = Extract<HistoryStep, { kind: K }>;

type PlainState = Map<string, string>;
/** A plain map per branch, with what it had in common with its parent, and all that it was before. */
type HistoryBranch = {
  name: string;
  parent: HistoryBranch | undefined;
  entries: PlainState;
  common: PlainState;
  before: { seq: number; entries: PlainState }[];
};

type Sides = { base: PlainState; source: PlainState; target: PlainState };
type TriedStrategy = (typeof STRATEGIES)[number];

/** The target after a merge, or why there is none. */
function merged(
  { base, source, target }: Sides,
  strategy: TriedStrategy,
): PlainState | 'merge_conflicts' | 'target_moved' {
  const result = new Map(target);
  let hasConflicts = false;
  for (const name of new Set([...base.keys(), ...source.keys()])) {
    const [was, theirs, ours] = [base.get(name), source.get(name), target.get(name)];
    if (theirs === was || theirs === ours) continue;
    if (ours !== was) {
      hasConflicts = true;
      if (strategy !== 'BRANCH_WINS') continue;
    }
    if (theirs === undefined) result.delete(name);
    else result.set(name, theirs);
  }
  if (!hasConflicts || strategy === 'BRANCH_WINS' || strategy === 'MAIN_WINS') return result;
  return strategy === 'FAST_FORWARD' ? 'target_moved' : 'merge_conflicts';
}

describe.each(backends)('histories of branches on %s', (backend) => {
  let app: TestApp;
  let runs = 0;
  let judged = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const placeOf = (root: string, { entity_path, key }: { entity_path: string; key: string }) => ({
    entity_path: `${root}/${entity_path}`,
    key,
  });
  const nameOf = ({ entity_path, key }: { entity_path: string; key: string }) => `${entity_path} ${key}`;

  async function fork(all: HistoryBranch[], parent: HistoryBranch, root: string): Promise<void> {
    const name = `${root}/${all.length}`;
    await app.call('branches.create', { name, from: parent.name });
    const [entries, common] = [new Map(parent.entries), new Map(parent.entries)];
    all.push({ name, parent, entries, common, before: [] });
  }

  const codeOf = async (call: Promise<unknown>) => (await refusal(call)).code;

  async function merge(branch: HistoryBranch, { strategy }: StepOf<'merge'>): Promise<void> {
    const { parent } = branch;
    if (!parent) return;
    const result = merged({ base: branch.common, source: branch.entries, target: parent.entries }, strategy);
    const input = { name: branch.name, target: parent.name, strategy, keep_open: true };
    if (typeof result === 'string') return expect(await codeOf(app.call('branches.merge', input))).toBe(result);
    await app.call('branches.merge', input);
    parent.entries = result;
    branch.common = new Map(branch.entries);
    const { entries } = await app.call('branches.diff', { name: branch.name, against: parent.name });
    expect(entries, 'nothing is left to merge').toEqual([]);
    const again = await app.call('branches.merge', input);
    expect([again.added, again.modified, again.deleted], 'and nothing is merged').toEqual([0, 0, 0]);
  }

  async function refresh(branch: HistoryBranch, { strategy }: StepOf<'refresh'>): Promise<void> {
    const { parent } = branch;
    if (!parent) return;
    const result = merged({ base: branch.common, source: parent.entries, target: branch.entries }, strategy);
    const input = { name: branch.name, strategy };
    if (typeof result === 'string') return expect(await codeOf(app.call('branches.refresh', input))).toBe(result);
    await app.call('branches.refresh', input);
    branch.entries = result;
    branch.common = new Map(parent.entries);
  }

  async function rollback(branch: HistoryBranch, { to }: StepOf<'rollback'>, root: string): Promise<void> {
    const state = branch.before[to % Math.max(branch.before.length, 1)];
    if (!state) return;
    await app.call('rollback.run', { seq: state.seq, branch: branch.name, entity_path: `${root}/**` });
    branch.entries = new Map(state.entries);
  }

  async function apply(all: HistoryBranch[], step: HistoryStep, root: string): Promise<void> {
    const branch = all[step.on % all.length] as HistoryBranch;
    if (step.kind === 'fork') return fork(all, branch, root);
    if (step.kind === 'merge') return merge(branch, step);
    if (step.kind === 'refresh') return refresh(branch, step);
    if (step.kind === 'rollback') return rollback(branch, step, root);
    const place = placeOf(root, step.at);
    const name = nameOf(place);
    if (step.kind === 'write') {
      await app.call('entries.write', { ...place, value: step.word, branch: branch.name });
      branch.entries.set(name, step.word);
    } else if (!branch.entries.has(name)) return;
    else if (step.kind === 'delete') {
      await app.call('entries.delete', { ...place, branch: branch.name });
      branch.entries.delete(name);
    } else {
      // Evidence changes no value, and so neither what differs nor what conflicts.
      const causal_entry_keys = [`${place.entity_path}/${place.key}`];
      const outcome = { outcome_ref: `${root}-${judged++}`, outcome_type: 'success' as const, causal_entry_keys };
      await app.call('outcomes.commit', { ...outcome, branch: branch.name });
    }
  }

  async function agrees({ name: branch, entries }: HistoryBranch, root: string): Promise<void> {
    const within = { entity_path: `${root}/**`, branch };
    const listed = await app.call('entries.list', { ...within, limit: 100 });
    expect(new Map(listed.entries.map((one) => [nameOf(one), one.value]))).toEqual(entries);
    for (const word of WORDS) {
      const found = await app.call('entries.search', { ...within, query: word, limit: 100 });
      const wanted = [...entries].filter(([, value]) => value === word).map(([name]) => name);
      expect(found.entries.map(nameOf).sort()).toEqual(wanted.sort());
    }
    const { total_rows } = await app.call('entries.aggregate', { ...within, op: 'count' });
    expect(total_rows).toBe(entries.size);
  }

  it('agree with a plain map per branch after every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
        const root = `history${runs++}`;
        const none = () => new Map<string, string>();
        const all: HistoryBranch[] = [{ name: 'main', parent: undefined, entries: none(), common: none(), before: [] }];
        for (const step of steps) {
          app.clock.advance(1000);
          await apply(all, step, root);
          const { last_seq: seq } = await app.call('stats.read', {});
          for (const branch of all) {
            branch.before.push({ seq, entries: new Map(branch.entries) });
            await agrees(branch, root);
          }
        }
      }),
      { numRuns: backend === 'sqlite' ? 15 : 4 },
    );
  }, 180_000);
});

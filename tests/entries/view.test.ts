import { randomUUID } from 'node:crypto';
import { type Glob, parseGlob } from '@mem-service/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Row, sql } from '../../packages/server/src/db/index.ts';
import {
  type EntryView,
  insertAccount,
  type Lineage,
  unchanged,
  type Work,
} from '../../packages/server/src/kernel/index.ts';
import {
  type EntryDraft,
  type EntryRow,
  EntrySet,
  entriesIn,
  UNTOUCHED,
  versionsIn,
} from '../../packages/server/src/modules/entries/index.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
import { type ModelRow, ViewModel } from './view-model.ts';

const BRANCHES = ['main', 'dev', 'dev/deep'] as const;
const AGENTS = ['agent/a', 'agent/b'] as const;
const branch = fc.constantFrom(...BRANCHES);
const agent_id = fc.constantFrom(...AGENTS);
const at = fc.record({
  branch,
  entity_path: fc.constantFrom('p', 'p/q', 'r'),
  key: fc.constantFrom('1', '2'),
});
// What the engines' JSON functions have to look past: quotes, escapes, a NUL, half a pair, names of members.
const value = fc.constantFrom('1', '"x"', '"\\u0000\\ud800\\\\u0000"', '{"memory_type":"no","is_artifact":9}', 'null');

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      at,
      agent_id,
      value,
      shared: fc.boolean(),
      confidence: fc.constantFrom(0.2, 0.9),
      memory_type: fc.constantFrom('fact', 'belief'),
      is_artifact: fc.boolean(),
      pattern_refs: fc.constantFrom('[]', '["x","y \\"z\\""]'),
      ttl: fc.option(fc.constantFrom(3, 30)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at, agent_id }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('judge' as const), at, confidence: fc.constantFrom(0.5, 0.6) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const spans = fc.array(fc.record({ branch, part: fc.option(fc.double({ min: 0, max: 1, noNaN: true })) }), {
  minLength: 1,
  maxLength: 3,
});
const globs = fc.option(fc.subarray(['p', 'p/**', 'p/*', 'r'], { minLength: 1 }), { nil: undefined });
const toGlobs = (texts: readonly string[] | undefined) => texts?.map((text) => parseGlob(text) as Glob);

const COLUMNS = [
  ...['branch', 'entity_path', 'key', 'entry_id', 'version', 'seq', 'deleted', 'shared', 'agent_id', 'ttl_at'],
  ...['confidence', 'memory_type', 'is_artifact', 'pattern_refs', 'standing_no'],
] as const;
const only = (row: object) => Object.fromEntries(COLUMNS.map((name) => [name, (row as Record<string, unknown>)[name]]));

describe.each(backends)('a view of entries on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function apply(work: Work, model: ViewModel, step: Step): Promise<void> {
    const set = await EntrySet.load(work, [step.at]);
    const head = model.head(step.at);
    if (step.kind === 'judge') {
      if (!head || head.deleted === 1) return;
      const seq = work.emit({ ...EVENT, branch: step.at.branch });
      const row = set.get(step.at) as EntryRow;
      set.setStanding(row, { confidence: step.confidence, standing: { ...UNTOUCHED, outcome_count: 1 } });
      set.addLedgerLine(row, { seq, no: 0 });
      model.judge(step.at, { seq, confidence: step.confidence });
    } else {
      if (step.kind === 'delete' && (!head || head.deleted === 1)) return;
      const { kind: _, at, ...rest } = { value: undefined, ttl: null, ...step };
      const ttl_at = rest.ttl === null ? null : app.clock.now() + rest.ttl * 1000;
      const draft: EntryDraft = { ...at, ...rest, session_id: null, ttl_at };
      const applied = set.apply(draft, { event_type: step.kind });
      const { entry } = applied;
      if (!applied.unchanged) {
        const written = JSON.parse(entry.document) as { memory_type: string };
        const confidence = rest.value === undefined ? writtenConfidence(model, head) : (draft.confidence as number);
        expect(written.memory_type).toBe(entry.memory_type);
        model.write({ ...(only(entry) as ModelRow), confidence }, entry);
      }
    }
    await set.save();
  }

  /** A tombstone keeps what was claimed. */
  const writtenConfidence = (model: ViewModel, head: ModelRow | undefined) =>
    model.versions.find(({ entry_id, version }) => entry_id === head?.entry_id && version === head.version)
      ?.confidence as number;

  const EVENT = {
    event_type: 'outcome',
    agent_id: 'agent/a',
    entity_path: null,
    key: null,
    version: null,
    visible_to: '',
    details: {},
  } as const;

  async function history(steps: readonly Step[]): Promise<{ model: ViewModel; account_id: string; seq: number }> {
    const account_id = randomUUID();
    const model = new ViewModel();
    await app.kernel.services.database.transaction((tx) => insertAccount(tx, account_id, app.clock.now()));
    for (const step of steps) {
      app.clock.advance(1000);
      const done = app.kernel.work(caller({ account_id }), 'test', async (work) => {
        await apply(work, model, step);
        return unchanged({});
      });
      // What is private to another agent cannot be written over.
      await done.catch((error) => expect(error).toMatchObject({ code: 'forbidden' }));
    }
    return { model, account_id, seq: Math.max(0, ...model.versions.map((version) => version.seq)) };
  }

  const viewOf = (account_id: string, lineage: Lineage, more: Partial<EntryView> = {}): EntryView => ({
    account_id,
    lineage,
    agent_id: 'agent/a',
    scope: undefined,
    at: app.clock.now(),
    dialect: app.kernel.services.database.dialect,
    ...more,
  });

  const select = (view: EntryView, part?: Parameters<typeof entriesIn>[1]) =>
    app.kernel.services.database
      .forAccount(view.account_id)
      .read.all(sql`SELECT entries.* FROM ${entriesIn(view, { standings: true, ...part })} ORDER BY entity_path, key`);

  const namesOf = ({ entry_id, version, document }: Row) => ({ entry_id, version, document });

  it('shows what laying the spans over each other shows, whatever was written', async () => {
    const including = fc.constantFrom('live' as const, 'undeleted' as const, 'visible' as const, 'all' as const);
    const look = fc.record({ spans, agent_id, including, scope: globs, paths: globs });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.array(look, { minLength: 8, maxLength: 8 }),
        async (steps, looks) => {
          const { model, account_id, seq } = await history(steps);
          for (const { spans, scope, paths, including, agent_id } of looks) {
            const lineage = spans.map(({ branch, part }) => ({
              branch,
              up_to_seq: part === null ? null : Math.round(part * (seq + 1)),
            }));
            const globs = toGlobs(scope);
            const view = viewOf(account_id, lineage, { agent_id, scope: globs && [globs] });
            const part = { including, paths: toGlobs(paths) };
            const rows = await select(view, part);
            expect(rows.map(only)).toEqual(model.rows(view, including, part.paths).map(only));
            const heads = await select(view, { ...part, standings: false });
            expect(heads).toEqual(rows.map((row) => expect.objectContaining(namesOf(row))));
            expect(heads.some((head) => 'confidence' in head)).toBe(false);
          }
        },
      ),
      { numRuns: backend === 'sqlite' ? 40 : 10 },
    );
  });

  it('is one relation for joins: the versions of each entry up to the one that is shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), spans, async (steps, spans) => {
        const { model, account_id, seq } = await history(steps);
        const lineage = spans.map(({ branch, part }) => ({
          branch,
          up_to_seq: part === null ? null : Math.round(part * (seq + 1)),
        }));
        const view = viewOf(account_id, lineage);
        const shown = model.rows(view, 'all', undefined);
        const rows = await app.kernel.services.database
          .forAccount(account_id)
          .read.all<{ seq: number }>(sql`SELECT versions.seq FROM ${versionsIn(view)} ORDER BY versions.seq`);
        const expected = model.versions.filter(({ entry_id, version }) =>
          shown.some((row) => row.entry_id === entry_id && row.version >= version),
        );
        expect(rows.map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq));
      }),
      { numRuns: backend === 'sqlite' ? 20 : 5 },
    );
  });
});

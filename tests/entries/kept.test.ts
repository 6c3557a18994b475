import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Row, sql } from '../../packages/server/src/db/index.ts';
import {
  type EntryView,
  EVERYONE,
  insertAccount,
  keepState,
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
} from '../../packages/server/src/modules/entries/index.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';

const at = fc.record({
  branch: fc.constantFrom('main', 'dev'),
  entity_path: fc.constantFrom('p', 'p/q'),
  key: fc.constantFrom('1', '2'),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), at, value: fc.constantFrom('1', '2', '3') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('judge' as const), at, confidence: fc.constantFrom(0.5, 0.6) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fork' as const), at }) },
);
type KeptStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

const OUTCOME = {
  ...{ event_type: 'outcome', agent_id: 'agent/a', entity_path: null, key: null, version: null },
  ...{ visible_to: EVERYONE, details: {} },
};

describe.each(backends)('what forks and tags see on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function apply(work: Work, step: KeptStep): Promise<void> {
    if (step.kind === 'fork') {
      keepState(work);
      return;
    }
    const set = await EntrySet.load(work, [step.at]);
    const row = set.get(step.at);
    if (step.kind === 'judge') {
      if (!row || row.deleted === 1) return;
      const seq = work.emit({ ...OUTCOME, branch: step.at.branch });
      set.addLedgerLine(row, { seq, no: 0 });
      set.setStanding(row, { confidence: step.confidence, standing: { ...UNTOUCHED, outcome_count: 1 } });
    } else {
      if (step.kind === 'delete' && (!row || row.deleted === 1)) return;
      const value = step.kind === 'write' ? step.value : undefined;
      const draft: EntryDraft = { ...step.at, agent_id: 'agent/a', session_id: null, value, confidence: 0.9 };
      set.apply(draft, { event_type: step.kind });
    }
    await set.save();
  }

  const viewOf = (account_id: string, lineage: Lineage): EntryView => ({
    ...{ account_id, lineage, agent_id: 'agent/a', scope: undefined, at: app.clock.now() },
    dialect: app.kernel.services.database.dialect,
  });

  const select = (view: EntryView, standings = true) =>
    app.kernel.services.database
      .forAccount(view.account_id)
      .read.all(
        sql`SELECT entries.* FROM ${entriesIn(view, { including: 'all', standings })} ORDER BY entity_path, key`,
      );

  /** The columns that heads have in any relation. */
  const contentOf = ({ confidence: _, standing: __, standing_no: ___, recall_count: ____, ...row }: Row) => {
    const { line_seq: _____, line_no: ______, evidence_rank: _______, ...content } = row;
    return content;
  };

  async function overlaid(account_id: string, branches: readonly string[]): Promise<Row[]> {
    const seen = new Map<string, Row>();
    for (const branch of branches)
      for (const row of await select(viewOf(account_id, [{ branch, up_to_seq: null }]))) {
        const { entity_path, key } = row as EntryRow;
        if (!seen.has(`${entity_path}/${key}`)) seen.set(`${entity_path}/${key}`, row);
      }
    return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  it('is what was there, with its standing, whatever is written and judged later', async () => {
    const LINEAGES = [['main'], ['dev'], ['dev', 'main']];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const account_id = randomUUID();
        await app.kernel.services.database.transaction((tx) => insertAccount(tx, account_id, app.clock.now()));
        const forks: { lineage: Lineage; rows: Row[] }[] = [];
        for (const step of steps) {
          app.clock.advance(1000);
          const seq = { at: 0 };
          await app.kernel.work(caller({ account_id }), 'test', async (work) => {
            await apply(work, step);
            seq.at = work.account.seq;
            return unchanged({});
          });
          if (step.kind !== 'fork') continue;
          for (const branches of LINEAGES) {
            const lineage = branches.map((branch) => ({ branch, up_to_seq: seq.at, is_kept: true as const }));
            forks.push({ lineage, rows: await overlaid(account_id, branches) });
          }
        }
        for (const { lineage, rows } of forks) {
          expect(await select(viewOf(account_id, lineage))).toEqual(rows);
          const computed = lineage.map(({ branch, up_to_seq }) => ({ branch, up_to_seq }));
          expect(await select(viewOf(account_id, computed))).toEqual(rows);
          for (const one of [lineage, computed])
            expect((await select(viewOf(account_id, one), false)).map(contentOf)).toEqual(rows.map(contentOf));
        }
      }),
      { numRuns: backend === 'sqlite' ? 30 : 10 },
    );
  });
});

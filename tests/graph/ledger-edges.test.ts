import type { Request } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import type { Sql } from '../../packages/server/src/db/index.ts';
import { upsertNewestLines } from '../../packages/server/src/modules/entries/index.ts';
import { SUCCESSES } from '../../packages/server/src/modules/graph/rules/ledger-edges.ts';
import { insertEvidence, insertOutcomes } from '../../packages/server/src/modules/ledger/queries.ts';
import {
  isSuccess,
  OUTCOME_TYPES,
  type OutcomeType,
} from '../../packages/server/src/modules/outcomes/rules/outcome-types.ts';
import { backends, caller, type TestApp } from '../support/app.ts';
import { arrows, commitOutcome, entryOf, writeEntries } from './support.ts';
import { useFilledGraph } from './watched.ts';

const A = { agent_id: 'agent/a' };
const OUTCOMES = 2000;
const { account_id } = caller();

/** An entry with many outcomes, another beside it, and as many unrelated ledger lines. */
async function fill(app: TestApp): Promise<void> {
  await writeEntries(app, ['svc/hub', 'svc/beside', 'svc/else'], A);
  await commitOutcome(app, { ...A, outcome_ref: 'real', causes: ['svc/hub', 'svc/beside'] });
  const { database } = app.kernel.services;
  const ids = [(await entryOf(app, 'svc/hub')).entry_id, (await entryOf(app, 'svc/beside')).entry_id];
  const other = (await entryOf(app, 'svc/else')).entry_id;
  await database.transaction(async (tx) => {
    const [outcome] = await tx.all({ text: 'SELECT * FROM outcomes WHERE account_id = ?', values: [account_id] });
    const [line] = await tx.all({ text: 'SELECT * FROM evidence WHERE account_id = ?', values: [account_id] });
    const seqs = Array.from({ length: 2 * OUTCOMES }, (_, i) => 1000 + i);
    const idOf = (seq: number, no: number) => (seq % 2 === 0 ? (ids[no] as number) : other + no);
    const bare = seqs.map((seq) => ({ ...outcome, seq, outcome_id: `o${seq}`, outcome_ref: `r${seq}` }));
    const newest = new Map<number, { line_seq: number; line_no: number }>();
    const lines = seqs.flatMap((seq) =>
      [0, 1].map((no) => {
        const entry_id = idOf(seq, no);
        const { line_seq: before_seq = null, line_no: before_no = null } = newest.get(entry_id) ?? {};
        newest.set(entry_id, { line_seq: seq, line_no: no });
        return { ...line, seq, no, entry_id, before_seq, before_no };
      }),
    );
    await tx.insertMany(insertOutcomes, bare as never);
    await tx.insertMany(insertEvidence, lines as never);
    const heads = [...newest].map(([entry_id, head]) => ({ account_id, entry_id, ...head }));
    await tx.insertMany(upsertNewestLines, heads);
  });
}

describe.each(backends)('a much tested entry, on %s', (backend) => {
  const walk = useFilledGraph(backend, fill);

  /** PostgreSQL prefers to scan a table of this size instead of looking up hundreds of rows. */
  const isWatched = ({ text }: Sql) => (backend === 'sqlite' ? / evidence/ : /AS newest/).test(text);

  async function watch(ask: Request<'graph.neighbors'>) {
    const { answer, plans } = await walk({ ask, as: A, isWatched });
    return { answer, plans: plans.map((plan) => JSON.stringify(plan)) };
  }

  it('shows the edges of its newest outcomes, and that there were more', async () => {
    const { answer } = await watch({ entity: 'svc/hub', relation: 'co_occurs_with' });
    expect(arrows(answer)).toEqual(['svc/hub -co_occurs_with-> svc/beside']);
    expect(answer).toMatchObject({ truncated: true, edges: [{ confidence: 1, evidence_count: 500 }] });
    const informed = await watch({ entity: 'svc/hub', relation: 'informed', limit: 3 });
    expect(arrows(informed.answer)).toEqual(['r4998', 'r4996', 'r4994'].map((ref) => `svc/hub -informed-> ${ref}`));
    const one = await watch({ entity: 'r4998' });
    expect(one.answer).toMatchObject({ count: 2, truncated: false });
  });

  it.each([
    { entity: 'svc/hub', limit: 5 },
    { entity: 'svc', depth: 3 },
    { entity: 'r4998', depth: 2 },
  ])('finds %o without passing over an account', async (ask) => {
    const { plans } = await watch(ask);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      expect(plan).not.toMatch(/SCAN (evidence|outcomes)|Seq Scan on (evidence|outcomes)/);
      expect(plan).not.toMatch(/USING (PRIMARY KEY|INDEX \w+) \(account_id=\?\)/);
    }
  });
});

it('the graph knows which outcomes went well', () => {
  const types = Object.keys(OUTCOME_TYPES) as OutcomeType[];
  expect(types.filter((type) => SUCCESSES.includes(type))).toEqual(types.filter(isSuccess));
});

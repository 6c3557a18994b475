import type { Request } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../packages/server/src/db/index.ts';
import { upsertEdges } from '../../packages/server/src/modules/graph/queries.ts';
import { backends, caller, type TestApp } from '../support/app.ts';
import { useFilledGraph } from './watched.ts';

const EDGES = 20_000;
const LIMIT = 20;
const { account_id, agent_id } = caller();

const edge = (i: number, visible_to: string): Row => ({
  account_id,
  branch: 'main',
  source_type: 'agent',
  source: 'hub',
  visible_to,
  relation: i % 2 === 0 ? 'wrote' : 'read',
  target_type: 'entity',
  target: `n${String(i).padStart(6, '0')}`,
  confidence: 1,
  evidence_count: 1,
  first_seen: i,
  last_seen: i,
});

async function fill(app: TestApp): Promise<void> {
  const { database } = app.kernel.services;
  for (const visible_to of ['', agent_id, 'agent/other'])
    await database.transaction(async (tx) => {
      await tx.insertMany(
        upsertEdges,
        Array.from({ length: EDGES }, (_, i) => edge(i, visible_to)),
      );
    });
}

describe.each(backends)('a node with very many edges, on %s', (backend) => {
  const walk = useFilledGraph(backend, fill);

  /** The statements on edges that a walk runs, and its answer. */
  const watch = (ask: Request<'graph.neighbors'>) =>
    walk({
      ask: { limit: LIMIT, ...ask },
      isWatched: ({ text }) => / edges /.test(text),
      explain: 'EXPLAIN (ANALYZE, FORMAT JSON)',
    });

  const ASKS = [
    { entity: 'hub' },
    { entity: 'hub', relation: 'read' },
    { entity: 'hub', depth: 5 },
    { entity: 'n000007', depth: 5 },
    { entity: 'n000008', depth: 3, direction: 'in' },
  ] as const;

  it.each(ASKS)('answers %o with as much as was asked for, and says that there is more', async (ask) => {
    const { answer } = await watch(ask);
    const isHub = !('direction' in ask);
    expect(answer).toMatchObject(isHub ? { count: LIMIT, truncated: true } : { count: 1, truncated: false });
  });

  it('shows what is newest in the order of names first', async () => {
    const { answer } = await watch({ entity: 'hub' });
    expect(answer.edges[0]).toMatchObject({ relation: 'wrote', target: 'n019998', evidence_count: 2 });
    expect(answer.edges[LIMIT - 1]).toMatchObject({ target: 'n019960' });
  });

  if (backend === 'sqlite')
    it.each(ASKS)('reads %o from an index, in its order', async (ask) => {
      const { plans } = await watch(ask);
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) {
        const steps = plan as unknown as { parent: number; detail: string }[];
        const reads = steps.filter(({ detail }) => /\bedges\b/.test(detail));
        expect(reads.length).toBeGreaterThan(0);
        for (const { parent, detail } of reads) {
          expect(detail).toMatch(/^SEARCH edges USING (PRIMARY KEY|INDEX edges_by_target).*visible_to=\?/);
          // The limit applies before sorting.
          expect(steps.filter((step) => step.parent === parent)).toHaveLength(1);
        }
      }
    });

  type QueryPlan = { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; Plans?: QueryPlan[] };
  const flatten = (plan: QueryPlan): QueryPlan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

  if (backend === 'postgres')
    it.each(ASKS)('reads %o from an index, and few rows of it', async (ask) => {
      const { plans } = await watch(ask);
      expect(plans.length).toBeGreaterThan(0);
      for (const [row] of plans) {
        const { 'QUERY PLAN': found } = row as unknown as { 'QUERY PLAN': [{ Plan: QueryPlan }] };
        const scans = flatten(found[0].Plan).filter((plan) => plan['Node Type'].includes('Scan'));
        const reads = scans.filter((plan) => plan['Node Type'] !== 'Subquery Scan');
        expect(reads.length).toBeGreaterThan(0);
        for (const plan of reads) {
          expect(plan['Node Type']).toMatch(/^Index (Only )?Scan$/);
          expect(plan['Actual Rows'] * plan['Actual Loops']).toBeLessThanOrEqual(2 * LIMIT + 1);
        }
      }
    });
});

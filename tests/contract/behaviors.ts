import { saveLooks } from '../../packages/pro/src/behaviors/index.ts';
import { requireTrace, unchanged } from '../../packages/server/src/module.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

type BehaviorSetup = Pick<ExampleSetup, 'as' | 'mark'>;

const MATCHER = [{ check: 'most' as const, of: 'failed_tool_calls' as const, limit: 0 }];

/** Two behaviors that are not looked for by themselves. */
export async function layBehaviors(app: TestApp, { as, mark }: BehaviorSetup, known: KnownIds): Promise<void> {
  const [behavior_id, second_behavior_id] = [`behavior-of-${mark}`, `second-behavior-of-${mark}`];
  for (const made of [behavior_id, second_behavior_id])
    await app.call(
      'behaviors.create',
      { behavior_id: made, matcher: MATCHER, status: 'draft', backfill: false } as never,
      as,
    );
  Object.assign(known, { behavior_id, second_behavior_id });
}

/** Behaviors that were found in a trace, and in others that the caller sees, of a mark where there is one. */
export async function layMatches(
  app: TestApp,
  { as }: Pick<ExampleSetup, 'as'>,
  { trace_id, behavior_ids, mark = '' }: { trace_id: string; behavior_ids: readonly string[]; mark?: string },
): Promise<void> {
  const by = caller(as);
  const { services } = app.kernel;
  const { read } = services.database.forAccount(by.account_id);
  const { traces } = await app.call('traces.list', { limit: 100 }, as);
  const marked = traces.filter((trace) => JSON.stringify(trace).includes(mark));
  const ids = [...new Set([trace_id, ...marked.map((trace) => trace.trace_id)])];
  const found: { trace_id: string; seq: number }[] = [];
  for (const id of ids) found.push(await requireTrace({ read, caller: by, services }, id));
  await app.kernel.work(by, 'behaviors.match_sealed', async (work) => {
    const looks = found.flatMap((trace) =>
      behavior_ids.map((behavior_id) => ({
        ...{ behavior_id, behavior_version: 1, trace_seq: trace.seq, trace_id: trace.trace_id },
        result: 'match' as const,
      })),
    );
    await saveLooks(work, looks);
    return unchanged({});
  });
}

import { exported, type Row, type TenantTable } from '@mem-service/server/module';
import { upsertBackfills } from './queries.ts';

/** It goes on where it was. */
function placeProblem({ from_seq, next_seq, until_seq }: Row): string | undefined {
  const [from, next, until] = [Number(from_seq), Number(next_seq), Number(until_seq)];
  if (until < from) return 'until_seq is before from_seq';
  return next < from || next > until ? 'next_seq must be from from_seq to until_seq' : undefined;
}

export const tables: readonly TenantTable[] = [
  exported(upsertBackfills, {
    kind: 'backfill',
    key: ['backfill_id'],
    nullable: ['judge_id', 'behavior_id', 'for_agent', 'reason', 'ended_at'],
    holds: ({ operations, judgeShapes, flag, notNegative, time }) => {
      const { judge_id, behavior_id, status } = operations['backfills.read'].output.shape;
      const counts = { traces: notNegative, verdicts: notNegative, failed: notNegative };
      return {
        ...{ judge_id, behavior_id, status, sampling_rate: judgeShapes.samplingRate, ...counts },
        max_traces: operations['backfills.create'].input.shape.limit,
        ...{ from_seq: notNegative, until_seq: notNegative, next_seq: notNegative, created_seq: notNegative },
        ...{ asks_model: flag, ended_at: time },
      };
    },
    refers: { judge_id: 'judge' },
    check: placeProblem,
    agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' } },
  }),
];

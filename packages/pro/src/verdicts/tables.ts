import { exported, type TenantTable } from '@mem-service/server/module';
import { putCounted } from './counted-queries.ts';
import { insertVerdicts, putHumanVerdicts, STORED_TEXTS } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertVerdicts, {
    kind: 'verdict',
    key: ['trace_seq', 'judge_id', 'judge_version'],
    nullable: ['score', 'cost_usd', 'model_call'],
    json: ['evidence', 'model_call'],
    holds: ({ judgeShapes: judge, shapes, z, long, share, flag, time, oneOf, notNegative }) => ({
      ...{ trace_seq: notNegative, judge_id: judge.judgeId, judge_version: shapes.version },
      ...{ result: oneOf(judge.verdictResults), judge_result: oneOf(judge.verdictResults), score: share },
      evidence: z.strictObject({ spans: z.array(z.string()), entries: z.array(z.tuple([z.int(), z.int()])) }),
      ...{ is_partial: flag, cost_usd: notNegative, traced_at: time },
      // Earlier releases kept less of a call.
      model_call: long(judge.modelCall.partial().loose()),
    }),
    stored: (row) => STORED_TEXTS.map((name) => row[name] as string | null),
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
  exported(putHumanVerdicts, {
    kind: 'human_verdict',
    key: ['trace_seq', 'judge_id'],
    holds: ({ judgeShapes: judge, notNegative }) => ({
      ...{ trace_seq: notNegative, judge_id: judge.judgeId, result: judge.humanVerdict.shape.result },
    }),
    agents: {
      agent_id: { erased: 'rename', also: () => ({ reason: '' }) },
      trace_agent: { erased: 'delete the row' },
      visible_to: { erased: 'delete the row' },
    },
  }),
  exported(putCounted, {
    kind: 'counted_verdict',
    key: ['trace_seq', 'judge_id'],
    holds: ({ judgeShapes: judge, shapes, z, notNegative }) => ({
      ...{ trace_seq: notNegative, judge_id: judge.judgeId, judge_version: shapes.version },
      ...{ verdict: z.enum(['pass', 'fail', 'withdrawn']), weight: judge.evidenceWeight },
    }),
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
];

import { exported, type judgeShapes, type TenantTable } from '@mem-service/server/module';
import { definitionProblems } from '../evaluation/index.ts';
import { insertVersions, upsertJudges } from './queries.ts';

const FROM_ADMIN = 'what an operator of the account looks for, not what an agent wrote';

const versions = exported(insertVersions, {
  kind: 'judge_version',
  key: ['judge_id', 'version'],
  nullable: ['for_agent', 'for_path'],
  json: ['definition'],
  holds: ({ judgeShapes: judge, shapes }) => ({
    ...{ judge_id: judge.judgeId, version: shapes.version, for_path: shapes.pathGlob },
    definition: judge.judgeDefinition,
  }),
  refers: { judge_id: 'judge' },
  check: ({ definition }) => unsound(definition as string),
  stored: ({ definition }) => [definition as string],
  agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' } },
  entries: { for_path: { kept: FROM_ADMIN } },
});

function unsound(definition: string): string | undefined {
  const [first] = definitionProblems(JSON.parse(definition) as judgeShapes.JudgeDefinition);
  return first && `${first.path}: ${first.message}`;
}

/** Describes what is wrong with a stored definition, by which nothing can be judged then. */
export const definitionProblem = (definition: string): string | undefined =>
  versions.checks.definition?.(definition) ?? unsound(definition);

export const tables: readonly TenantTable[] = [
  exported(upsertJudges, {
    kind: 'judge',
    key: ['judge_id'],
    nullable: ['evidence_weight'],
    holds: ({ judgeShapes: judge, shapes, notNegative }) => ({
      ...{ judge_id: judge.judgeId, version: shapes.version, status: judge.judge.shape.status },
      ...{ sampling_rate: judge.samplingRate, evidence_weight: judge.evidenceWeight, updated_seq: notNegative },
    }),
    agents: { agent_id: { erased: 'rename' } },
  }),
  versions,
];

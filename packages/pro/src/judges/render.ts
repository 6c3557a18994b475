import { Fault, type judgeShapes, type Output, type Query, toIso } from '@mem-service/server/module';
import * as queries from './queries.ts';
import { definitionProblem } from './tables.ts';

type Judge = Output<'judges.read'>;

/** As it is stored, to be shown. */
const storedDefinition = ({ definition }: { definition: string }): judgeShapes.JudgeDefinition =>
  JSON.parse(definition) as judgeShapes.JudgeDefinition;

type DefinedJudge = { judge_id: string; definition: string };

/** What to judge by, or why it cannot be read: an import of an earlier release may have stored what no operation allows. */
export function readDefinition(row: DefinedJudge): judgeShapes.JudgeDefinition | Fault {
  const problem = definitionProblem(row.definition);
  if (problem === undefined) return storedDefinition(row);
  const { judge_id } = row;
  const message = `the definition of judge ${judge_id} cannot be read: ${problem}; judges.delete archives the judge`;
  return new Fault('conflict', message, { judge_id });
}

export function definitionIn(row: DefinedJudge): judgeShapes.JudgeDefinition {
  const found = readDefinition(row);
  if (found instanceof Fault) throw found;
  return found;
}

export const toJudge = (row: queries.WholeJudge): Judge => ({
  judge_id: row.judge_id,
  version: row.version,
  name: row.name,
  description: row.description,
  status: row.status as Judge['status'],
  for_agent: row.for_agent,
  for_path: row.for_path,
  definition: storedDefinition(row),
  sampling_rate: row.sampling_rate,
  evidence_weight: row.evidence_weight ?? 0,
  agent_id: row.defined_by,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const toVersion = (row: queries.JudgeVersionRow): Output<'judges.history'>['versions'][number] => ({
  judge_id: row.judge_id,
  version: row.version,
  for_agent: row.for_agent,
  for_path: row.for_path,
  definition: storedDefinition(row),
  agent_id: row.agent_id,
  created_at: toIso(row.created_at),
});

export async function requireJudge(query: Query, accountId: string, judgeId: string): Promise<queries.WholeJudge> {
  const row = await queries.getJudge(query, accountId, judgeId);
  if (!row) throw new Fault('not_found', `there is no judge ${judgeId}`, { judge_id: judgeId });
  return row;
}

export async function requireVersion(
  query: Query,
  accountId: string,
  at: { judge_id: string; version: number },
): Promise<queries.JudgeVersionRow> {
  const row = await queries.getVersion(query, accountId, at);
  if (!row) throw new Fault('not_found', `judge ${at.judge_id} has no version ${at.version}`, at);
  return row;
}

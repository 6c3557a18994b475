import {
  type caseShapes,
  Fault,
  type judgeShapes,
  type Output,
  type Query,
  type ReadContext,
  readableRows,
  toIso,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { changeOf, type RunCounts } from './rules/compare.ts';
import type { CaseResultRow, CaseRunRow } from './run-queries.ts';

export const expectedIn = ({ expected }: Pick<queries.CaseRow, 'expected'>): judgeShapes.CheckedDefinition =>
  JSON.parse(expected) as judgeShapes.CheckedDefinition;

type WholeCaseRun = Output<'case_runs.read'>;

export const toCase = (row: queries.CaseRow): Output<'cases.read'> => ({
  case_id: row.case_id,
  set_id: row.set_id,
  version: row.version,
  name: row.name,
  description: row.description,
  task_input: row.task_input,
  expected: expectedIn(row),
  trace_id: row.trace_id,
  agent_id: row.agent_id,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export async function requireCase(query: Query, accountId: string, caseId: string): Promise<queries.CaseRow> {
  const row = await queries.getCase(query, accountId, caseId);
  if (!row) throw new Fault('not_found', `there is no case ${caseId}`, { case_id: caseId });
  return row;
}

export function toRun(row: CaseRunRow): Output<'case_runs.list'>['runs'][number] {
  const counts = JSON.parse(row.counts) as RunCounts;
  return {
    case_run_id: row.case_run_id,
    set_id: row.set_id,
    branch: row.branch,
    label: row.label,
    status: counts.passed === counts.cases ? 'passed' : 'failed',
    ...counts,
    previous_case_run_id: row.previous_case_run_id,
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
  };
}

export const toSet = (
  row: queries.CaseSetRow,
  run: CaseRunRow | undefined,
): Output<'case_sets.list'>['sets'][number] => ({
  set_id: row.set_id,
  cases: row.cases,
  updated_at: toIso(row.updated_at),
  last_run: run ? toRun(run) : null,
});

type RunReader = Pick<ReadContext, 'caller' | 'services'>;

/** With the reasons and traces that the reader may see. */
export async function toWholeRun(
  reader: RunReader,
  run: CaseRunRow,
  results: readonly CaseResultRow[],
): Promise<WholeCaseRun> {
  const { agent_id } = reader.caller;
  const seen = new Set(
    (await readableRows(reader, results)).filter(({ visible_to }) => visible_to === '' || visible_to === agent_id),
  );
  return { ...toRun(run), results: results.map((row) => toResult(row, seen.has(row))) };
}

function toResult(row: CaseResultRow, isSeen: boolean): WholeCaseRun['results'][number] {
  const result = row.result as caseShapes.CaseResultName;
  const before = row.before_result as caseShapes.CaseResultName | null;
  return {
    case_id: row.case_id,
    case_version: row.case_version,
    result,
    score: row.score,
    reason: isSeen ? row.reason : null,
    trace_id: isSeen ? row.trace_id : null,
    before,
    change: changeOf(before, result),
  };
}

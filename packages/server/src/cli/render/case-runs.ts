import type { Output } from '@mem-service/contract';
import { shortId } from '../trace-ids.ts';
import type { AnswerItem } from './columns.ts';
import { type Column, table } from './table.ts';
import { paint, type Screen, show } from './text.ts';

type ShownCaseRun = Output<'case_runs.read'>;
type CaseResult = ShownCaseRun['results'][number];

const columns: readonly Column<CaseResult>[] = [
  { title: 'CASE', of: ({ case_id }) => case_id, whole: true },
  { title: 'RESULT', of: ({ result }) => result },
  { title: 'SINCE LAST', of: ({ change }) => (change === 'same' ? '' : change === 'other' ? 'changed' : change) },
  { title: 'TRACE', of: ({ trace_id }) => (trace_id === null ? '' : shortId(trace_id)) },
  { title: 'WHY', of: ({ reason }) => show(reason ?? '') },
];

/** A run in a line, and what came of each case. */
export function caseRun(item: AnswerItem, screen: Screen): string {
  const run = item as unknown as ShownCaseRun;
  const changes = [
    ...(run.broken > 0 ? [`${run.broken} broken`] : []),
    ...(run.fixed > 0 ? [`${run.fixed} fixed`] : []),
  ];
  const since = changes.length === 0 ? '' : ` (${changes.join(', ')})`;
  const head = `${run.status}: ${run.passed} of ${run.cases} passed${since}`;
  return `${paint(screen, 'bold', head)}  ${run.case_run_id}\n\n${table(run.results, columns, screen)}`;
}

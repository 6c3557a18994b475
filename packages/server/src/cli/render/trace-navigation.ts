import type { Output } from '@mem-service/contract';
import { shortIds } from '../trace-ids.ts';
import type { AnswerItem } from './columns.ts';
import { cost, counted, duration, UNKNOWN } from './numbers.ts';
import { outcomeText } from './outcome-name.ts';
import { spanText } from './spans.ts';
import { table } from './table.ts';
import { brief, fit, paint, type Screen, show, whenOn } from './text.ts';

/** The spans of a trace, each below the one it is part of. */
export function outlinedSpans(item: AnswerItem, screen: Screen): string {
  const { spans, span_count, complete } = item as unknown as Output<'traces.list_spans'>;
  const lines = spans.map((span) =>
    fit(screen, `${'  '.repeat(Math.min(span.depth, MAX_INDENT))}${spanText(span, screen)}`),
  );
  const rest = complete ? '' : `; the first ${spans.length} are shown`;
  return `${[...lines, `${counted(span_count, 'span')}${rest}`].join('\n')}\n`;
}

const MAX_INDENT = 40;

type TraceHits = Output<'traces.search'>;

/** A line for each trace that was found, and how many there are by each facet. */
export function foundTraces(item: AnswerItem, screen: Screen): string {
  const { traces, facets, counted: matched, complete } = item as unknown as TraceHits;
  const ids = shortIds(traces.map(({ trace_id }) => show(trace_id)));
  const lines = traces.map((one, i) => {
    const facts = [
      ...(one.has_error ? [paint(screen, 'red', 'error')] : []),
      ...(one.session_duration_ms === null ? [] : [duration(one.session_duration_ms)]),
      ...(one.total_llm_calls === 0 ? [] : [cost(one.total_cost_usd)]),
    ];
    const head = `${paint(screen, 'yellow', ids[i] ?? '')} ${whenOn(screen, one.created_at)} ${show(one.agent_id)}`;
    const outcome = outcomeText(one.outcome_ref, one.outcome_type, screen);
    return fit(screen, `${head} ${outcome}  ${brief(one.task_input, 60)}  ${facts.join(', ')}`);
  });
  if (traces.length === 0 && matched === 0)
    return complete ? 'no traces\n' : 'no traces so far: not all were looked at\n';
  const counts = facets.map(({ name, values, other_values }) => {
    const shown = values.map(({ value, count }) => `${show(value ?? UNKNOWN)} ${count}`);
    const rest = other_values === 0 ? [] : [`and ${other_values} more`];
    return fit(screen, `${paint(screen, 'dim', name)}  ${[...shown, ...rest].join(', ') || 'none recorded'}`);
  });
  const all = complete ? '' : ', not all there are';
  const total = matched === null ? [] : [`${counted(matched, 'trace')} counted${all}`];
  return `${[...lines, ...counts, ...total].join('\n')}\n`;
}

type ComparedAnswer = Output<'traces.compare'>;

/** Traces side by side: what each was, where they part, and in what they differ. */
export function comparedTraces(item: AnswerItem, screen: Screen): string {
  const { traces, first_divergence, steps, step_count, same_count, memory, complete } =
    item as unknown as ComparedAnswer;
  const heads = traces.map((one, i) => `${letterOf(i)}  ${headOf(one, screen)}`);
  const parts = first_divergence
    ? `they part at step ${first_divergence.no + 1}: ${first_divergence.because}`
    : 'they took the same steps';
  const different = steps.filter(({ differs }) => differs.length > 0);
  const names = traces.map((_, i) => letterOf(i));
  const columns = [
    { title: 'STEP', of: (row: AnswerItem) => String(row.step) },
    { title: 'DIFFERS', of: (row: AnswerItem) => String(row.differs) },
    ...names.map((title) => ({ title, of: (row: AnswerItem) => String(row[title]) })),
  ];
  const stepRows = different.map(({ no, kind, name, differs, of }) => ({
    ...{ step: `${no + 1} ${kind === name ? kind : `${kind} ${name}`}`, differs: differs.join(', ') },
    ...Object.fromEntries(names.map((name, i) => [name, cellOf(of[i])])),
  }));
  const memoryRows = memory
    .filter((row) => row.differs)
    .map(({ entity_path, key, versions }) => ({
      ...{ step: `${entity_path}/${key}`, differs: 'version read' },
      ...Object.fromEntries(names.map((name, i) => [name, versions[i] ? `version ${versions[i]}` : '-'])),
    }));
  const rows: AnswerItem[] = [...stepRows, ...memoryRows];
  const shown = rows.length === 0 ? '' : `\n${table<AnswerItem>(rows, columns, screen)}`;
  const counts = `${same_count} of ${counted(step_count, 'step')} alike${complete ? '' : '; not all are shown'}`;
  return `${[...heads, paint(screen, 'bold', parts)].map((line) => fit(screen, line)).join('\n')}\n${shown}\n${counts}\n`;
}

const letterOf = (i: number): string => String.fromCharCode(65 + i);

function headOf(trace: ComparedAnswer['traces'][number], screen: Screen): string {
  const { trace_id, agent_id, outcome_ref, outcome_type, steps, session_duration_ms, total_llm_calls } = trace;
  return [
    `${paint(screen, 'yellow', show(trace_id))} ${outcomeText(outcome_ref, outcome_type, screen)}`,
    `by ${show(agent_id)}`,
    counted(steps, 'step'),
    ...(session_duration_ms === null ? [] : [duration(session_duration_ms)]),
    ...(total_llm_calls === 0 ? [] : [cost(trace.total_cost_usd)]),
  ].join(', ');
}

function cellOf(step: ComparedAnswer['steps'][number]['of'][number] | undefined): string {
  if (!step) return '-';
  return `${step.failed ? 'failed: ' : ''}${brief(step.note, 40)}`;
}

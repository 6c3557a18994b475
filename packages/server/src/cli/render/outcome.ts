import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { alignedNames, entryLabel } from './entry.ts';
import { change, counted } from './numbers.ts';
import { outcomeName } from './outcome-name.ts';
import { plainWhy, staleText, statusText } from './readings.ts';
import { fit, paint, type Screen, show } from './text.ts';

type OutcomeAnswer = Output<'outcomes.commit'>;

/** The result of an outcome in one sentence, with a line for each entry. */
export function committed(item: AnswerItem, screen: Screen): string {
  const outcome = item as OutcomeAnswer;
  const { lesson, trace_id, stale_reads } = outcome;
  const names = alignedNames(outcome.entries, screen);
  const lines = [
    headOf(outcome, screen),
    ...outcome.entries.map((entry, at) => `  ${names[at]}  ${entryText(entry, screen)}`),
    ...stale_reads.map(
      (stale) => `  ${entryLabel(stale, screen)} v${stale.read_version}  ${paint(screen, 'yellow', staleText(stale))}`,
    ),
    ...(outcome.causes_incomplete_because === null
      ? []
      : [`  ${paint(screen, 'yellow', `causes may be missing: ${show(outcome.causes_incomplete_because)}`)}`]),
    ...(lesson ? [`  lesson written: ${entryLabel(lesson, screen)} v${lesson.version}`] : []),
    ...(trace_id === null ? [] : [`  sealed as trace ${paint(screen, 'yellow', show(trace_id))}`]),
  ];
  // Not cut: it ends with what to do.
  const advice =
    outcome.advice === null || outcome.duplicate ? '' : `${paint(screen, 'yellow', show(outcome.advice))}\n`;
  return `${lines.map((line) => fit(screen, line)).join('\n')}\n${advice}`;
}

function headOf(
  { outcome_ref, outcome_type, duplicate, is_evidence, affected_entries }: OutcomeAnswer,
  screen: Screen,
): string {
  const what = `${paint(screen, 'bold', show(outcome_ref))} (${outcomeName(outcome_type, screen)})`;
  if (duplicate) return `${what} was committed before: nothing was counted again`;
  if (!is_evidence) return `committed ${what}, a replay: no confidence moved`;
  const moved = affected_entries === 0 ? 'no entry' : counted(affected_entries, 'entry', 'entries');
  return `committed ${what}: ${moved} moved`;
}

function entryText(entry: OutcomeAnswer['entries'][number], screen: Screen): string {
  const { applied, attempt, confidence_before, confidence_after, evidence_status, why } = entry;
  if (!applied) return paint(screen, 'dim', `${show(why)}${attempt === null ? '' : ` (attempt ${attempt})`}`);
  const status = evidence_status === null ? '' : ` ${statusText(evidence_status, screen)}`;
  const reason = plainWhy(why, confidence_before, confidence_after);
  return `${change(confidence_before, confidence_after)}${status}  ${paint(screen, 'dim', reason)}`;
}

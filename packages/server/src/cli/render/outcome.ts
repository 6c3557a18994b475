import type { Output } from '@mem-service/contract';
import type { Item } from './columns.ts';
import { alignedNames, nameOf } from './entry.ts';
import { change, counted } from './numbers.ts';
import { outcomeName } from './outcome-name.ts';
import { plainWhy, staleText, statusText } from './readings.ts';
import { fit, paint, type Screen, show } from './text.ts';

type Committed = Output<'outcomes.commit'>;

/** What an outcome did, in a sentence; a line for each entry below it. */
export function committed(item: Item, screen: Screen): string {
  const told = item as Committed;
  const { lesson, trace_id, stale_reads } = told;
  const names = alignedNames(told.entries, screen);
  const lines = [
    headOf(told, screen),
    ...told.entries.map((entry, at) => `  ${names[at]}  ${entryText(entry, screen)}`),
    ...stale_reads.map(
      (stale) => `  ${nameOf(stale, screen)} v${stale.read_version}  ${paint(screen, 'yellow', staleText(stale))}`,
    ),
    ...(told.causes_incomplete_because === null
      ? []
      : [`  ${paint(screen, 'yellow', `causes may be missing: ${show(told.causes_incomplete_because)}`)}`]),
    ...(lesson ? [`  lesson written: ${nameOf(lesson, screen)} v${lesson.version}`] : []),
    ...(trace_id === null ? [] : [`  sealed as trace ${paint(screen, 'yellow', show(trace_id))}`]),
  ];
  return `${lines.map((line) => fit(screen, line)).join('\n')}\n`;
}

function headOf(
  { outcome_ref, outcome_type, duplicate, is_evidence, affected_entries }: Committed,
  screen: Screen,
): string {
  const what = `${paint(screen, 'bold', show(outcome_ref))} (${outcomeName(outcome_type, screen)})`;
  if (duplicate) return `${what} was committed before: nothing was counted again`;
  if (!is_evidence) return `committed ${what}, a replay: no confidence moved`;
  const moved = affected_entries === 0 ? 'no entry' : counted(affected_entries, 'entry', 'entries');
  return `committed ${what}: ${moved} moved`;
}

function entryText(entry: Committed['entries'][number], screen: Screen): string {
  const { applied, attempt, confidence_before, confidence_after, evidence_status, why } = entry;
  if (!applied) return paint(screen, 'dim', `${show(why)}${attempt === null ? '' : ` (attempt ${attempt})`}`);
  const status = evidence_status === null ? '' : ` ${statusText(evidence_status, screen)}`;
  const reason = plainWhy(why, confidence_before, confidence_after);
  return `${change(confidence_before, confidence_after)}${status}  ${paint(screen, 'dim', reason)}`;
}

import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { bar, change, counted, rounded } from './numbers.ts';
import { plainWhy, statusText } from './readings.ts';
import { table } from './table.ts';
import { fit, isTerminal, pad, paint, type Screen, show, when, whenOn } from './text.ts';

/** As wide as a date. */
const TIME_WIDTH = 10;

type ConfidenceAnswer = Output<'entries.confidence'>;

/** How a confidence was computed: one line per step, and whether recomputing it gives the stored value. */
export function confidence(item: AnswerItem, screen: Screen): string {
  const story = item as ConfidenceAnswer;
  const lines = [
    `${entryLabel(story, screen)} ${show(story.summary)}`,
    standingText(story, screen),
    '',
    ...(story.truncated ? [paint(screen, 'dim', 'its beginnings are left out')] : []),
    ...story.steps.map((step) => stepText(step, screen)),
    '',
    recomputedText(story, screen),
  ];
  return `${lines.map((line) => fit(screen, line)).join('\n')}\n`;
}

function standingText(
  { evidence_status, confidence, effective_confidence, half_life_days }: ConfidenceAnswer,
  screen: Screen,
): string {
  const faded = rounded(effective_confidence);
  const fading =
    half_life_days === null || faded === rounded(confidence)
      ? ''
      : `, faded to ${faded} (half of it goes in ${counted(half_life_days, 'day')})`;
  return `${statusText(evidence_status, screen)}${fading}`;
}

function stepText(step: ConfidenceAnswer['steps'][number], screen: Screen): string {
  const { at, version, outcome_ref, attempt, confidence_before: before, confidence_after: after } = step;
  const cause = outcome_ref === null ? '' : `${show(outcome_ref)}${attempt === null ? '' : `, attempt ${attempt}`}: `;
  return [
    paint(screen, 'dim', isTerminal(screen) ? pad(whenOn(screen, at), TIME_WIDTH) : when(at)),
    `v${version}`,
    change(before, after).padStart(12),
    paint(screen, 'cyan', bar(after, screen)),
    cause + plainWhy(step.why, before, after),
  ].join('  ');
}

function recomputedText({ recomputed, confidence }: ConfidenceAnswer, screen: Screen): string {
  if (recomputed.matches) return paint(screen, 'green', 'computed again from the ledger: the same');
  const found = `it is ${rounded(recomputed.confidence)}, and ${rounded(confidence)} is stored`;
  return paint(screen, 'red', `WARNING: computed again from the ledger ${found}: it does not match`);
}

type CalibrationAnswer = Output<'outcomes.calibration'>;

export function calibration(item: AnswerItem, screen: Screen): string {
  const { n, successes, brier_score, buckets, truncated, ...errors } = item as CalibrationAnswer;
  if (n === 0) return 'no outcome has tested an entry here yet\n';
  const head =
    `${counted(n, 'test')} of entries, ${successes} went well; ` +
    `Brier score ${rounded(brier_score)} (0 is perfect), off by ${rounded(errors.expected_calibration_error)} on average, ` +
    `and by ${rounded(errors.learned_calibration_error)} where it is read as what was to be expected`;
  const rows = table(
    buckets,
    [
      { title: 'CONFIDENCE', of: ({ from, to }) => `${from.toFixed(1)} to ${to.toFixed(1)}` },
      { title: 'N', right: true, of: (bucket) => String(bucket.n) },
      { title: 'SUCCESS', right: true, of: ({ success_rate }) => rounded(success_rate) },
      { title: 'EXPECTED NOW', right: true, of: ({ expected_success_rate }) => rounded(expected_success_rate) },
      { title: '', of: ({ success_rate }) => (success_rate === null ? '' : bar(success_rate, screen)) },
    ],
    screen,
  );
  return `${head}\n${rows}${truncated ? `${paint(screen, 'dim', 'older evidence was left out')}\n` : ''}`;
}

import { Fault, type Output } from '@mem-service/contract';
import { reads, toIso } from '../../kernel/index.ts';
import {
  type EntryRow,
  evidenceStatus,
  fadedConfidence,
  getLiveEntry,
  standingOf,
  UNTOUCHED,
} from '../entries/index.ts';
import { lifeOf, type StoryEvent } from './life.ts';
import { buildStory, type StoryStep } from './rules/story.ts';

type ConfidenceOutput = Output<'entries.confidence'>;

const MAX_STEPS = 1000;

export const confidence = reads<'entries.confidence'>(async (context, input) => {
  const entry = await getLiveEntry(context.read, context.view, input);
  if (!entry) throw new Fault('not_found', `there is no entry ${input.entity_path}/${input.key}`, { ...input });
  const { events, isWhole } = await lifeOf(context, entry);
  const story = buildStory(
    events.map(({ life }) => life),
    UNTOUCHED,
  );
  const steps = events.flatMap((event, i) => (event.isVisible ? [toStep(event, story.steps[i] as StoryStep)] : []));
  const standing = standingOf(entry);
  // What a merge brought along was computed on another branch: only the sum can agree.
  const hasMerged = events.some(({ line }) => line?.origin_seq != null);
  const matches =
    (story.agrees || hasMerged) &&
    story.confidence === entry.confidence &&
    JSON.stringify(story.standing) === JSON.stringify(standing);
  const { entity_path, key, branch, version } = entry;
  return {
    entity_path,
    key,
    branch,
    version,
    confidence: entry.confidence,
    effective_confidence: fadedConfidence(context.services, entry, context.now),
    half_life_days: context.services.settings.half_life_days,
    evidence_status: evidenceStatus(standing, entry.confidence),
    prior_confidence: standing.prior_confidence,
    evidence_success: standing.evidence_success,
    evidence_failure: standing.evidence_failure,
    summary: summaryOf(entry, { outcomes: standing.outcome_count, ...changesSinceWritten(events) }),
    steps: steps.slice(-MAX_STEPS),
    truncated: !isWhole || steps.length > MAX_STEPS,
    recomputed: { confidence: story.confidence, matches },
  };
});

type TestedBy = { outcomes: number; isDemoted: boolean; verdicts: number };

/** A demotion is over when an untested entry is written again; verdicts hold as long as the value does. */
function changesSinceWritten(events: readonly StoryEvent[]): Pick<TestedBy, 'isDemoted' | 'verdicts'> {
  const written = events.findLastIndex(({ life }) => life.kind === 'written');
  const value = events.findLastIndex(({ life }) => life.kind === 'written' && !life.same_claim);
  const ofValue = events.slice(value + 1);
  const traces = new Set(ofValue.flatMap(({ life }) => (life.kind === 'verdict' ? life.trace_seq : [])));
  return {
    isDemoted: events.slice(written + 1).some(({ life }) => life.kind === 'demoted'),
    verdicts: traces.size,
  };
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function summaryOf({ confidence, version }: EntryRow, { outcomes, isDemoted, verdicts }: TestedBy): string {
  const at = `stands at ${confidence.toFixed(2)} in version ${version}`;
  if (verdicts > 0) return `${at}, after ${counted(outcomes, 'outcome')} and verdicts on ${counted(verdicts, 'trace')}`;
  if (outcomes === 0 && isDemoted) return `${at}, demoted by consolidation; no outcome has tested it`;
  if (outcomes === 0) return `${at}, as it was written: no outcome has tested it`;
  return `${at}, after ${counted(outcomes, 'outcome')}`;
}

function toStep({ life, line }: StoryEvent, step: StoryStep): ConfidenceOutput['steps'][number] {
  return {
    kind: life.kind !== 'written' ? life.kind : life.same_claim ? 'restated' : 'written',
    version: life.kind === 'written' ? life.version : (line?.version ?? 0),
    at: toIso(step.at),
    agent_id: step.agent_id,
    outcome_ref: line?.outcome_ref ?? null,
    outcome_type: life.kind === 'verdict' ? null : (line?.outcome_type ?? null),
    judge_id: line?.judge_id ?? null,
    judge_version: line?.judge_version ?? null,
    verdict: life.kind === 'verdict' ? life.verdict : null,
    overruled: life.kind === 'verdict' && life.overruled,
    attempt: line?.attempt ?? null,
    model: line?.model ?? null,
    causal_confidence: line?.causal_confidence ?? null,
    n_causal: line?.n_causal ?? null,
    surprise: line?.surprise ?? null,
    weight: line?.weight ?? null,
    confidence_before: step.before,
    confidence_after: step.after,
    evidence_success: line?.evidence_success ?? 0,
    evidence_failure: line?.evidence_failure ?? 0,
    why: step.why,
  };
}

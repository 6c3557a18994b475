import type { Standing } from '../../entries/index.ts';
import { withClaim } from '../../entries/rules/verdict-standing.ts';
import type { OutcomeType } from './outcome-types.ts';
import { applyStep, type EvidenceStep, isFirstStrike, type OutcomeModel, type Trust } from './posterior.ts';
import { applyVerdict, type VerdictStep } from './verdict-lines.ts';

/** A version. `same_claim`: it repeats the value of the one before it. */
export type VersionWritten = {
  kind: 'written';
  version: number;
  confidence: number;
  same_claim: boolean;
  at: number;
  agent_id: string;
};

/** A ledger line, with the confidence before and after it. */
export type RecordedOutcome = EvidenceStep & {
  kind: 'outcome';
  model: OutcomeModel;
  before: number;
  after: number;
  /** The agent reported on its own words. */
  counts_half?: boolean | undefined;
};

/** A consolidation found that the entry adds little. It says nothing about whether the entry is true. */
export type RecordedDemotion = {
  kind: 'demoted';
  factor: number;
  reason: string;
  before: number;
  after: number;
  at: number;
  agent_id: string;
};

/** A verdict on a trace that read the value, or one that was taken back. */
export type RecordedVerdict = VerdictStep & { kind: 'verdict'; before: number; after: number };

export type LifeEvent = VersionWritten | RecordedOutcome | RecordedDemotion | RecordedVerdict;

/** `before` and `after` are recomputed. `agrees`: whether the ledger holds the same numbers; always true for a version. */
export type StoryStep = {
  kind: LifeEvent['kind'];
  at: number;
  agent_id: string;
  before: number | null;
  after: number;
  why: string;
  agrees: boolean;
};

export type ConfidenceStory = Trust & { steps: StoryStep[]; agrees: boolean };

/**
 * Recomputes the confidence of an entry from its versions and outcomes, oldest first. `untouched` is the standing of a new
 * value; fields that no outcome changes, such as its tier, are taken from there.
 */
export function buildStory(life: readonly LifeEvent[], untouched: Standing): ConfidenceStory {
  let trust: Trust | undefined;
  const steps = life.map((event): StoryStep => {
    const before = trust;
    const [after, why] = next(before, event, untouched);
    trust = after;
    const { kind, at, agent_id } = event;
    const agrees = kind === 'written' || (event.before === before?.confidence && event.after === after.confidence);
    return { kind, at, agent_id, before: before?.confidence ?? null, after: after.confidence, why, agrees };
  });
  if (!trust) throw new RangeError('an entry has at least one version');
  return { ...trust, steps, agrees: steps.every((step) => step.agrees) };
}

function next(before: Trust | undefined, event: LifeEvent, untouched: Standing): [Trust, string] {
  switch (event.kind) {
    case 'written':
      return write(before, event, untouched);
    case 'demoted':
      return demote(before, event);
    case 'verdict':
      return judge(before, event);
    case 'outcome':
      return learn(before, event);
  }
}

/** A repeated value keeps the learned confidence; a new value starts without evidence. */
function write(before: Trust | undefined, event: VersionWritten, untouched: Standing): [Trust, string] {
  const { confidence, same_claim, version, agent_id } = event;
  const by = `by ${agent_id} in version ${version}`;
  if (!before) return [{ confidence, standing: untouched }, `written ${by}: ${short(confidence)}`];
  if (!same_claim) return [{ confidence, standing: untouched }, `changed ${by}: begins anew at ${short(confidence)}`];
  if (before.standing.outcome_count === 0) return restate(before, confidence, by);
  return [before, `restated ${by} with ${short(confidence)}: what was learnt stays, ${short(before.confidence)}`];
}

function restate(before: Trust, confidence: number, by: string): [Trust, string] {
  const after = withClaim(before, confidence);
  return [after, `restated ${by}: ${short(before.confidence)} -> ${short(after.confidence)}`];
}

function demote(before: Trust | undefined, { factor, reason, agent_id }: RecordedDemotion): [Trust, string] {
  if (!before) throw new RangeError('a demotion comes after the version that it is about');
  const confidence = before.confidence * factor;
  const change = `times ${short(factor)}: ${short(before.confidence)} -> ${short(confidence)}`;
  return [
    { ...before, confidence },
    `demoted by consolidation for ${agent_id}, ${reason.replaceAll('_', ' ')}, ${change}`,
  ];
}

function judge(before: Trust | undefined, event: RecordedVerdict): [Trust, string] {
  if (!before) throw new RangeError('a verdict comes after the version that it is about');
  const after = applyVerdict(before, event);
  const { verdict, judge_id, agent_id, overruled, n_causal, pass, fail } = event;
  const of = overruled ? `${agent_id} in place of judge ${judge_id}` : `judge ${judge_id}`;
  const what = verdict === 'withdrawn' ? `verdict of judge ${judge_id} taken back` : `${verdict} of ${of}`;
  const how = [
    `the trace counts ${short(pass)} for and ${short(fail)} against`,
    n_causal > 1 ? `one of ${n_causal} entries read` : '',
  ];
  const change = `${short(before.confidence)} -> ${short(after.confidence)}${discredit(before.standing, after.standing)}`;
  return [after, `${what} (${how.filter(Boolean).join(', ')}): ${change}`];
}

/** Why a success counts half, in a sentence about it. */
export const OWN_ENTRY = 'of its own entry, counts half';

function learn(before: Trust | undefined, event: RecordedOutcome): [Trust, string] {
  if (!before) throw new RangeError('an outcome comes after the version that it is about');
  const { confidence, standing, weight } = applyStep(event.model, before, event);
  const what = `${nameOfType(event.outcome_type)} of ${event.agent_id}`;
  const how = [
    event.model === 'evidence' ? `weight ${short(weight)}` : `times ${short(weight)}`,
    event.model === 'evidence' && event.n_causal > 1 ? `one of ${event.n_causal} causes` : '',
    event.counts_half ? OWN_ENTRY : '',
    event.model === 'evidence' && isFirstStrike(event.outcome_type, before.standing) ? 'first failure' : '',
  ];
  const change = `${short(before.confidence)} -> ${short(confidence)}${discredit(before.standing, standing)}`;
  return [{ confidence, standing }, `${what} (${how.filter(Boolean).join(', ')}): ${change}`];
}

function discredit(before: Standing, after: Standing): string {
  if ((before.discredited_at === null) === (after.discredited_at === null)) return '';
  return after.discredited_at === null ? ', no longer discredited' : ', now discredited';
}

const nameOfType = (type: OutcomeType): string => type.replaceAll('_', ' ');
const short = (n: number): string => n.toFixed(2);

/** The fields of a version that decide whether the next one repeats it. */
export type LifeVersion = Pick<VersionWritten, 'version' | 'confidence' | 'agent_id'> & {
  written_at: number;
  deleted: number;
  ttl_at: number | null;
  content_hash: string;
};

/**
 * The values of all versions, oldest first, without tombstones. A value that is written again keeps its bytes, so its hash
 * shows the repetition; after a deletion or an expiry even the same value starts over.
 */
export function versionsWritten(versions: readonly LifeVersion[]): VersionWritten[] {
  const claims = versions.map((next, at): VersionWritten => {
    const before = versions[at - 1];
    const there = before?.deleted === 0 && (before.ttl_at === null || before.ttl_at > next.written_at);
    const { version, confidence, agent_id, written_at } = next;
    const same_claim = there && before.content_hash === next.content_hash;
    return { kind: 'written', version, confidence, same_claim, at: written_at, agent_id };
  });
  return claims.filter((_, at) => versions[at]?.deleted === 0);
}

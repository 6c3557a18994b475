import { Fault, type Output } from '@mem-service/contract';
import { EVERYONE, type ReadContext, reads, requireNewest, toIso } from '../../kernel/index.ts';
import {
  type EntryRow,
  evidenceStatus,
  fadedConfidence,
  getLiveEntry,
  getNewestLine,
  listVersionsOf,
  standingOf,
  UNTOUCHED,
  type WrittenVersion,
} from '../entries/index.ts';
import * as ledger from '../ledger/index.ts';
import type { OutcomeType } from './rules/outcome-types.ts';
import { buildStory, type LifeEvent, type StoryStep, versionsWritten } from './rules/story.ts';

type ConfidenceOutput = Output<'entries.confidence'>;

const MAX_VERSIONS = 10_000;
const LEDGER_PAGE = 5000;
const MAX_LEDGER = 100_000;
const MAX_STEPS = 1000;

/** A step of the story with its source, and whether the caller may see it. */
type StoryEvent = { life: LifeEvent; seq: number; line: ledger.LedgerRow | undefined; isVisible: boolean };

export const confidence = reads<'entries.confidence'>(async (context, input) => {
  requireNewest(context.view, 'how the confidence of an entry came about');
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
    summary: summaryOf(entry, { outcomes: standing.outcome_count, isDemoted: isDemoted(events) }),
    steps: steps.slice(-MAX_STEPS),
    truncated: !isWhole || steps.length > MAX_STEPS,
    recomputed: { confidence: story.confidence, matches },
  };
});

/** Since it was last written: that sets the confidence of an untested entry again. */
function isDemoted(events: readonly StoryEvent[]): boolean {
  const written = events.findLastIndex(({ life }) => life.kind === 'written');
  return events.slice(written + 1).some(({ life }) => life.kind === 'demoted');
}

type Tested = { outcomes: number; isDemoted: boolean };

function summaryOf({ confidence, version }: EntryRow, { outcomes, isDemoted }: Tested): string {
  const at = `stands at ${confidence.toFixed(2)} in version ${version}`;
  if (outcomes === 0 && isDemoted) return `${at}, demoted by consolidation; no outcome has tested it`;
  if (outcomes === 0) return `${at}, as it was written: no outcome has tested it`;
  return `${at}, after ${outcomes} outcome${outcomes === 1 ? '' : 's'}`;
}

/**
 * Returns every version and every ledger line that counted, oldest first. A long history starts at a version, never between
 * two outcomes.
 */
async function lifeOf(context: ReadContext, entry: EntryRow): Promise<{ events: StoryEvent[]; isWhole: boolean }> {
  const { account_id, entry_id } = entry;
  const newest = await listVersionsOf(context.scan, { account_id, entry_id }, MAX_VERSIONS + 1);
  const isWhole = newest.length <= MAX_VERSIONS;
  const versions = newest.reverse();
  const claims = versionsWritten(versions);
  const first = isWhole
    ? 0
    : Math.max(
        1,
        claims.findIndex(({ same_claim }, i) => i > 0 && !same_claim),
      );
  const kept = claims.slice(first);
  const byVersion = new Map(versions.map((row) => [row.version, row]));
  const written = kept.map((life): StoryEvent => {
    const row = byVersion.get(life.version) as WrittenVersion;
    const isVisible = row.shared === 1 || row.agent_id === context.caller.agent_id;
    return { life, seq: row.seq, line: undefined, isVisible };
  });
  const lines = await ledgerOf(context, entry, written[0]?.seq ?? 0);
  const learnt = lines.map(
    (line): StoryEvent => ({ life: toLife(line), seq: line.seq, line, isVisible: maySee(context, line) }),
  );
  const events = [...written, ...learnt].sort((a, b) => a.seq - b.seq || noOf(a) - noOf(b));
  return { events: inOrderOfOutcomes(events), isWhole };
}

/** Lines that a merge brought along count where their outcomes were committed, but after the value that they are about. */
function inOrderOfOutcomes(events: readonly StoryEvent[]): StoryEvent[] {
  if (!events.some(({ line }) => line?.origin_seq != null)) return [...events];
  const starts = events.flatMap(({ life }, i) => (life.kind === 'written' && !life.same_claim ? [i] : []));
  const parts = starts.map((start, i) => events.slice(start, starts[i + 1]));
  return parts.flatMap(([first, ...rest]) => [
    first as StoryEvent,
    ...rest.sort((a, b) => seqOf(a) - seqOf(b) || originNoOf(a) - originNoOf(b)),
  ]);
}

const seqOf = ({ seq, line }: StoryEvent): number => line?.origin_seq ?? seq;
const originNoOf = ({ line }: StoryEvent): number => line?.origin_no ?? line?.no ?? -1;
const noOf = ({ line }: StoryEvent): number => line?.no ?? -1;

const maySee = ({ caller }: ReadContext, { visible_to, outcome_visible_to }: ledger.LedgerRow): boolean =>
  [visible_to, outcome_visible_to].every((who) => who === EVERYONE || who === caller.agent_id);

/** Returns the ledger lines that counted for an entry, newest first. */
async function ledgerOf({ scan }: ReadContext, entry: EntryRow, since: number): Promise<ledger.LedgerRow[]> {
  const rows: ledger.LedgerRow[] = [];
  let from = await getNewestLine(scan, entry);
  while (from && from.seq > since && rows.length < MAX_LEDGER) {
    const page = await ledger.listLedger(scan, entry.account_id, { from, since, limit: LEDGER_PAGE });
    rows.push(...page);
    const { before_seq: seq = null, before_no: no = null } = page.at(-1) ?? {};
    from = seq === null || no === null ? undefined : { seq, no };
  }
  return rows.filter(
    ({ applied, model, entry_id }) => (applied === 1 || model === ledger.DEMOTED) && entry_id === entry.entry_id,
  );
}

function toLife(line: ledger.LedgerRow): LifeEvent {
  if (line.model === ledger.DEMOTED)
    return {
      kind: 'demoted',
      factor: line.weight ?? 1,
      reason: line.reason ?? '',
      before: line.confidence_before ?? 0,
      after: line.confidence_after ?? 0,
      at: line.at,
      agent_id: line.agent_id,
    };
  return {
    kind: 'outcome',
    model: line.model as 'evidence' | 'multiplicative',
    outcome_type: line.outcome_type as OutcomeType,
    causal_confidence: line.causal_confidence,
    n_causal: line.n_causal,
    agent_id: line.agent_id,
    at: line.at,
    before: line.confidence_before ?? 0,
    after: line.confidence_after ?? 0,
    counts_half: line.causal_confidence < line.stated_confidence,
  };
}

function toStep({ life, line }: StoryEvent, step: StoryStep): ConfidenceOutput['steps'][number] {
  return {
    kind: life.kind !== 'written' ? life.kind : life.same_claim ? 'restated' : 'written',
    version: life.kind === 'written' ? life.version : (line?.version ?? 0),
    at: toIso(step.at),
    agent_id: step.agent_id,
    outcome_ref: line?.outcome_ref ?? null,
    outcome_type: line?.outcome_type ?? null,
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

import { EVERYONE, type Lineage, viewInWork, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import {
  type EntryRow,
  type EntrySet,
  evidenceStatus,
  findVersions,
  getVersion,
  isLive,
  mayAgentSee,
  standingOf,
} from '../entries/index.ts';
import type * as queries from '../ledger/index.ts';
import type { OutcomeCauses } from './causes.ts';
import { type Cause, causeKeyText } from './rules/causes.ts';
import { isSuccess, type OutcomeType } from './rules/outcome-types.ts';
import { shareOf } from './rules/own-success.ts';
import { applyStep, type OutcomeModel } from './rules/posterior.ts';
import { type CauseResult, type OutcomeStep, planSteps } from './rules/steps.ts';

export type OutcomeAuthor = { agent_id: string; session: string; session_id: string | null };
export type OutcomeOrigin = { branch: string; lineage: Lineage; author: OutcomeAuthor };

type ReadCause = Cause & { version: number };

export type WeighedCauses = {
  steps: OutcomeStep<EntryRow>[];
  /** The current entry of each cause, if the agent may see it. */
  entryOf: ReadonlyMap<Cause, EntryRow>;
  live: ReadonlySet<EntryRow>;
  /** The newest version read of each cause. */
  read: Map<string, ReadCause>;
};

type CausesToWeigh = {
  outcome_type: OutcomeType;
  causal_confidence: number;
  attributes: Readonly<Record<string, unknown>>;
  causes: OutcomeCauses;
};

/** Decides how an outcome affects each entry. Writes nothing. */
export async function weighCauses(
  work: Work,
  entries: EntrySet,
  judged: CausesToWeigh & OutcomeOrigin,
): Promise<WeighedCauses> {
  const { branch, lineage, author, causes } = judged;
  const all = [...causes.attempts.flatMap((attempt) => attempt.causes), ...causes.causes];
  const found = await entries.find(all.map(({ entity_path, key }) => ({ branch, entity_path, key, lineage })));
  const entryOf = new Map<Cause, EntryRow>();
  for (const [i, cause] of all.entries()) {
    const entry = found[i];
    if (isLive(entry, work.now) && mayAgentSee(entry, author.agent_id)) entryOf.set(cause, entry);
  }
  await pause();
  await addHashes(work, { causes: all, entryOf, lineage });
  const { outcome_type, causal_confidence, attributes } = judged;
  const steps = planSteps({ outcome_type, causal_confidence, attributes, ...causes }, (cause) => entryOf.get(cause));
  return { steps, entryOf, live: new Set(entryOf.values()), read: newestReads(all) };
}

function newestReads(causes: readonly Cause[]): Map<string, ReadCause> {
  const read = new Map<string, ReadCause>();
  for (const cause of causes) {
    const { version } = cause;
    if (version !== undefined && version > (read.get(causeKeyText(cause))?.version ?? 0))
      read.set(causeKeyText(cause), { ...cause, version });
  }
  return read;
}

type ComparedCauses = { causes: readonly Cause[]; entryOf: ReadonlyMap<Cause, EntryRow>; lineage: Lineage };

/** Compares an older version by the hash of its value, so that a value that was only written again counts as the same. */
async function addHashes(work: Work, { causes, entryOf, lineage }: ComparedCauses): Promise<void> {
  const { tx, account_id } = work;
  const older = causes.flatMap((cause) => {
    const entry = entryOf.get(cause);
    if (!entry || cause.version === undefined || cause.version === entry.version) return [];
    return [{ cause, entry_id: entry.entry_id, version: cause.version }];
  });
  if (older.length === 0) return;
  const found = await findVersions(tx, account_id, older);
  const view = viewInWork(work, { lineage, agent_id: '' });
  for (const [i, { cause, version }] of older.entries()) {
    const isInherited = !found[i] && lineage.length > 1;
    const row = isInherited ? await getVersion(tx, view, { ...cause, version }) : found[i];
    cause.content_hash = row?.content_hash ?? 'none';
  }
}

/** Makes entries that the branch only inherits its own before they are judged there. */
export async function adoptCauses(
  entries: EntrySet,
  weighed: WeighedCauses,
  { branch, author }: Pick<OutcomeOrigin, 'branch' | 'author'>,
): Promise<WeighedCauses> {
  const inherited = [...weighed.live].filter((entry) => entry.branch !== branch);
  if (inherited.length === 0) return weighed;
  await entries.adopt(
    inherited.map(({ entity_path, key }) => ({ branch, entity_path, key })),
    author.agent_id,
  );
  const own = (entry: EntryRow): EntryRow => entries.get({ ...entry, branch }) ?? entry;
  const steps = weighed.steps.map((step) => ({
    ...step,
    causes: step.causes.map((cause) => ({ ...cause, entry: cause.entry && own(cause.entry) })),
  }));
  const entryOf = new Map([...weighed.entryOf].map(([cause, entry]) => [cause, own(entry)]));
  return { ...weighed, steps, entryOf, live: new Set(entryOf.values()) };
}

const LINES_PER_STEP = 64;

type CommittedOutcome = { weighed: WeighedCauses; seq: number; branch: string; author: OutcomeAuthor };

/** Updates the standings in order and returns the ledger lines about it. */
export async function applyEvidence(
  work: Work,
  entries: EntrySet,
  outcome: CommittedOutcome,
): Promise<queries.EvidenceRow[]> {
  const rows: queries.EvidenceRow[] = [];
  for (const step of outcome.weighed.steps)
    for (const cause of step.causes) {
      const { entry } = cause;
      const row = newLine(work, outcome, { no: rows.length, step, cause });
      if (entry) {
        const { before_seq, before_no } = entries.addLedgerLine(entry, row);
        row.before_seq = before_seq;
        row.before_no = before_no;
      }
      if (entry && cause.status === 'applied') applyStanding(entries, entry, row);
      else if (entry) row.evidence_status = evidenceStatus(standingOf(entry), entry.confidence);
      rows.push(row);
      if (rows.length % LINES_PER_STEP === 0) await pause();
    }
  return rows;
}

type LineCause = { no: number; step: OutcomeStep<EntryRow>; cause: CauseResult<EntryRow> };

/** Written out, as it is made for each cause of an outcome. */
function newLine(work: Work, outcome: CommittedOutcome, { no, step, cause }: LineCause): queries.EvidenceRow {
  const { seq, branch, author } = outcome;
  const { entry } = cause;
  return {
    account_id: work.account_id,
    seq,
    no,
    entry_id: entry?.entry_id ?? null,
    branch,
    entity_path: cause.entity_path,
    key: cause.key,
    // A line about an entry that does not exist, or that only this agent may see, is visible to this agent only.
    visible_to: entry?.shared === 1 ? EVERYONE : author.agent_id,
    version: entry?.version ?? null,
    read_version: cause.read_version,
    written_by: entry?.agent_id ?? null,
    agent_id: author.agent_id,
    attempt: step.attempt,
    outcome_type: step.outcome_type,
    success: Number(isSuccess(step.outcome_type)),
    model: work.services.settings.outcome_model,
    causal_confidence: step.causal_confidence,
    n_causal: step.n_causal,
    applied: Number(cause.status === 'applied'),
    reason: cause.reason,
    surprise: null,
    weight: null,
    confidence_before: entry?.confidence ?? null,
    confidence_after: entry?.confidence ?? null,
    evidence_success: null,
    evidence_failure: null,
    evidence_status: null,
    at: work.now,
    origin_seq: null,
    origin_no: null,
    trace_seq: null,
    judge_id: null,
    judge_version: null,
    before_seq: null,
    before_no: null,
  };
}

function applyStanding(entries: EntrySet, entry: EntryRow, row: queries.EvidenceRow): void {
  const trust = { confidence: entry.confidence, standing: standingOf(entry) };
  const outcome_type = row.outcome_type as OutcomeType;
  const { n_causal, agent_id, written_by, at } = row;
  const model = row.model as OutcomeModel;
  const { validators } = trust.standing;
  // In the line, so that the ledger alone gives the same number again.
  row.causal_confidence *= shareOf({ model, outcome_type, agent_id, written_by, validators });
  const { causal_confidence } = row;
  const step = { outcome_type, causal_confidence, n_causal, agent_id, at };
  const { confidence, standing, weight, surprise } = applyStep(model, trust, step);
  entries.setStanding(entry, { confidence, standing });
  row.surprise = surprise;
  row.weight = weight;
  row.confidence_after = confidence;
  row.evidence_success = standing.evidence_success;
  row.evidence_failure = standing.evidence_failure;
  row.evidence_status = evidenceStatus(standing, confidence);
}

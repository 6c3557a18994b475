import { type Lineage, SELF_CALLER, type Work } from '../../kernel/index.ts';
import { type EntryRow, EntrySet, evidenceStatus, standingOf } from '../entries/index.ts';
import { type EvidenceRow, insertEvidence, JUDGED } from '../ledger/index.ts';
import type { ReadSet } from '../traces/index.ts';
import { adoptCauses, type WeighedCauses, weighCauses } from './evidence.ts';
import { isReplay } from './rules/steps.ts';
import { applyVerdict, OVERRULED, type VerdictWord, verdictIn } from './rules/verdict-lines.ts';

/** A verdict as it counts now, in place of what counted of its judge and trace before. */
export type WeighedVerdict = {
  judge_id: string;
  judge_version: number;
  verdict: VerdictWord;
  /** The agent whose word counts in place of the judge's. */
  overruled_by: string | null;
  /** What all verdicts on the trace say together from then on, shared out among `n_causal` entries. */
  pass: number;
  fail: number;
  n_causal: number;
};

export type VerdictsOnTrace = { trace: ReadSet; verdicts: readonly WeighedVerdict[] };

/** Traces of one agent on one branch that the same may see. */
export type JudgedTraces = {
  branch: string;
  lineage: Lineage;
  agent_id: string;
  visible_to: string;
  /** The branch is not that of the traces: verdicts are only changed where a merge brought the earlier ones. */
  isCopy: boolean;
};

/**
 * Lets verdicts count for the entries whose versions the traces read, where they still say the same, and adds the lines to the ledger.
 * `emit` reports it and returns the number of its event; it is not called where no entry is moved. Returns how many were.
 */
export async function countVerdicts(
  work: Work,
  of: JudgedTraces,
  { judged, emit }: { judged: readonly VerdictsOnTrace[]; emit: (entries: number) => number },
): Promise<number> {
  const entries = await EntrySet.load(work, []);
  const weighed: { causes: WeighedCauses; verdicts: readonly WeighedVerdict[]; trace_seq: number }[] = [];
  for (const { trace, verdicts } of judged) {
    if (isReplay(trace.attributes)) continue;
    const causes = await weighReads(work, entries, { of, trace });
    if (movedBy(causes, of, trace.seq).length > 0) weighed.push({ causes, verdicts, trace_seq: trace.seq });
  }
  if (weighed.length === 0) return 0;
  const moved = new Set(
    weighed.flatMap(({ causes, trace_seq }) => movedBy(causes, of, trace_seq).map(({ entry }) => entry.entry_id)),
  );
  const seq = emit(moved.size);
  const lines: EvidenceRow[] = [];
  for (const { causes, verdicts, trace_seq } of weighed) {
    const own = await adoptCauses(entries, causes, { branch: of.branch, author: authorOf(of) });
    for (const verdict of verdicts)
      for (const { entry, read_version } of movedBy(own, of, trace_seq)) {
        const line = lineOf(work, entry, { of, verdict, trace_seq, read_version, seq, no: lines.length });
        apply(entries, entry, line);
        lines.push(line);
      }
  }
  await entries.save();
  work.send(work.tx.insertMany(insertEvidence, lines));
  return moved.size;
}

const authorOf = ({ agent_id }: JudgedTraces) => ({ agent_id, session: '', session_id: null });

function weighReads(
  work: Work,
  entries: EntrySet,
  { of, trace }: { of: JudgedTraces; trace: ReadSet },
): Promise<WeighedCauses> {
  const { branch, lineage } = of;
  const causes = trace.reads.map(({ entity_path, key, version }) => ({ entity_path, key, version }));
  return weighCauses(work, entries, {
    ...{ branch, lineage, author: authorOf(of), causes: { attempts: [], causes } },
    ...{ outcome_type: 'success', causal_confidence: 1, attributes: {} },
  });
}

type MovedEntry = { entry: EntryRow; read_version: number | null };

/** The entries that still say what was read. Versions have other numbers on other branches; there the trace is known. */
const movedBy = ({ steps }: WeighedCauses, { isCopy }: JudgedTraces, traceSeq: number): MovedEntry[] =>
  steps.flatMap(({ causes }) =>
    causes.flatMap(({ entry, read_version, status }) =>
      entry && (isCopy ? hasCounted(entry, traceSeq) : status === 'applied') ? [{ entry, read_version }] : [],
    ),
  );

const hasCounted = (entry: EntryRow, traceSeq: number): boolean =>
  standingOf(entry).verdicts?.traces.some(([seq]) => seq === traceSeq) ?? false;

type NewLine = {
  of: JudgedTraces;
  verdict: WeighedVerdict;
  trace_seq: number;
  read_version: number | null;
  seq: number;
  no: number;
};

function lineOf(work: Work, entry: EntryRow, { of, verdict, trace_seq, read_version, seq, no }: NewLine): EvidenceRow {
  const { judge_id, judge_version, overruled_by, pass, fail, n_causal } = verdict;
  const { entry_id, branch, entity_path, key, version, confidence } = entry;
  return {
    account_id: work.account_id,
    ...{ seq, no, entry_id, branch, entity_path, key, version, read_version },
    visible_to: entry.shared === 1 ? of.visible_to : of.agent_id,
    written_by: entry.agent_id,
    agent_id: overruled_by ?? SELF_CALLER.agent_id,
    attempt: null,
    outcome_type: verdict.verdict,
    success: Number(verdict.verdict === 'pass'),
    model: JUDGED,
    causal_confidence: 1,
    n_causal,
    applied: 0,
    reason: overruled_by === null ? null : OVERRULED,
    surprise: null,
    weight: pass + fail,
    confidence_before: confidence,
    confidence_after: confidence,
    evidence_success: pass,
    evidence_failure: fail,
    evidence_status: null,
    at: work.now,
    ...{ origin_seq: null, origin_no: null, trace_seq, judge_id, judge_version, before_seq: null, before_no: null },
  };
}

function apply(entries: EntrySet, entry: EntryRow, line: EvidenceRow): void {
  Object.assign(line, entries.addLedgerLine(entry, line));
  const trust = applyVerdict({ confidence: entry.confidence, standing: standingOf(entry) }, verdictIn(line));
  entries.setStanding(entry, trust);
  line.confidence_after = trust.confidence;
  line.evidence_status = evidenceStatus(trust.standing, trust.confidence);
}

import { EVERYONE, type Work } from '../../kernel/index.ts';
import { type EntryRow, EntrySet, evidenceStatus, isLive, standingOf } from '../entries/index.ts';
import { DEMOTED, type EvidenceRow, insertEvidence } from '../ledger/index.ts';
import type { ComparedEntry } from './rules/findings.ts';
import { DEMOTION_FACTOR, type PlannedDemotion } from './rules/plan.ts';

export type DoneDemotion = PlannedDemotion & { confidence_before: number; confidence_after: number };

/**
 * Lowers the confidence of entries, each with a line in the ledger that says why; neither value nor version change. Leaves out
 * what was written or judged since it was planned.
 */
export async function demoteEntries(
  work: Work,
  agentId: string,
  demotions: readonly PlannedDemotion[],
): Promise<DoneDemotion[]> {
  if (demotions.length === 0) return [];
  const at = ({ entity_path, key }: ComparedEntry) => ({ branch: 'main', entity_path, key });
  const set = await EntrySet.load(
    work,
    demotions.map(({ entry }) => at(entry)),
  );
  const lines: EvidenceRow[] = [];
  const done: DoneDemotion[] = [];
  for (const demotion of demotions) {
    const row = set.get(at(demotion.entry));
    if (!row || !isAsPlanned(row, demotion, work.now)) continue;
    const confidence_before = row.confidence;
    const confidence_after = confidence_before * DEMOTION_FACTOR;
    const change = { confidence_before, confidence_after };
    const line = lineOf(work, row, { agentId, demotion, ...change });
    Object.assign(line, set.addLedgerLine(row, line));
    set.setStanding(row, { confidence: confidence_after, standing: standingOf(row) });
    line.evidence_status = evidenceStatus(standingOf(row), confidence_after);
    lines.push(line);
    done.push({ ...demotion, ...change });
  }
  if (lines.length === 0) return [];
  await set.save();
  work.send(work.tx.insertMany(insertEvidence, lines));
  return done;
}

const isAsPlanned = (row: EntryRow, { entry, reason }: PlannedDemotion, now: number): boolean =>
  isLive(row, now) &&
  row.entry_id === entry.entry_id &&
  row.version === entry.version &&
  row.standing === null &&
  row.shared === entry.shared &&
  // Reads of a moment ago are counted by now.
  (reason !== 'stale' || row.recall_count === 0);

type DemotedLine = { agentId: string; demotion: PlannedDemotion; confidence_before: number; confidence_after: number };

function lineOf(work: Work, row: EntryRow, line: DemotedLine): EvidenceRow {
  const { agentId, demotion, confidence_before, confidence_after } = line;
  const { reason } = demotion;
  const { branch, entity_path, key, version, entry_id } = row;
  const visible_to = row.shared === 1 ? EVERYONE : row.agent_id;
  const seq = work.emit({
    event_type: 'consolidation_auto_merged',
    agent_id: agentId,
    ...{ branch, entity_path, key, version, visible_to },
    details: { reason, confidence_before, confidence_after },
  });
  return {
    account_id: work.account_id,
    ...{ seq, no: 0, entry_id, branch, entity_path, key, visible_to, version },
    read_version: null,
    written_by: row.agent_id,
    agent_id: agentId,
    attempt: null,
    outcome_type: 'demoted',
    success: 0,
    model: DEMOTED,
    causal_confidence: 1,
    n_causal: 1,
    applied: 0,
    reason,
    surprise: null,
    weight: DEMOTION_FACTOR,
    confidence_before,
    confidence_after,
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

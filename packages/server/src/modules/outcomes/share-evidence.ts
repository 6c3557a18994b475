import type { Query } from '../../db/index.ts';
import { EVERYONE, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import {
  type EntryPlace,
  type EntryRow,
  EntrySet,
  evidenceStatus,
  isLive,
  standingOf,
  UNTOUCHED,
} from '../entries/index.ts';
import * as ledger from '../ledger/index.ts';
import { originOfLine, sumLines, unionOfLines } from './rules/union.ts';

/** An entry and the newest ledger line about it. */
export type EvidenceHolder = Pick<EntryRow, 'account_id' | 'standing' | 'content_hash'> & {
  line_seq: number | null;
  line_no: number | null;
};

export type SharedEvidence = {
  /** Says the same as the entry of the target. */
  source: EvidenceHolder;
  target: EntryPlace;
};

const LINES_PER_STATEMENT = 1000;

/**
 * Adds to entries the ledger lines that entries of another branch with the same value have and they have not, and computes how they
 * stand from all of them. `seq` is the event that the lines belong to, and `by` the agent that merges. Returns how many entries it changed.
 */
export async function shareEvidence(
  work: Work,
  { seq, by }: { seq: number; by: string },
  pairs: readonly SharedEvidence[],
): Promise<number> {
  const set = await EntrySet.load(
    work,
    pairs.map(({ target }) => target),
  );
  const added: ledger.EvidenceRow[] = [];
  let n = 0;
  for (const { source, target } of pairs) {
    const there = set.get(target);
    if (!isLive(there, work.now) || there.content_hash !== source.content_hash) continue;
    const theirs = await linesOf(work.tx, source);
    const ours = await linesOf(work.tx, there as EntryRow & EvidenceHolder);
    const known = new Set(ours.map(originOfLine));
    const news = theirs.filter((line) => !known.has(originOfLine(line)));
    if (news.length === 0) continue;
    await set.adopt([target], by);
    const entry = set.get(target) as EntryRow;
    const standing = { ...UNTOUCHED, ...unlearnt(entry) };
    const lines = unionOfLines(ours, news);
    const trust = sumLines(lines, standing, claimSince(lines, entry));
    for (const line of unionOfLines(news, [])) {
      const row = lineFor(entry, line, { seq, no: added.length });
      Object.assign(row, set.addLedgerLine(entry, row));
      added.push(row);
    }
    set.setStanding(entry, trust);
    const last = added.at(-1) as ledger.EvidenceRow;
    last.evidence_status = evidenceStatus(trust.standing, trust.confidence);
    n++;
    await pause();
  }
  if (n === 0) return 0;
  await set.save();
  work.send(work.tx.insertMany(ledger.insertEvidence, added));
  return n;
}

/** What no outcome changes. */
function unlearnt(entry: EntryRow) {
  const { tier, priority_score, importance_score, importance_dimensions } = standingOf(entry);
  return { tier, priority_score, importance_score, importance_dimensions };
}

/** After a verdict an author can give the same value another confidence, until an outcome has tested it. */
function claimSince([first]: readonly ledger.LedgerRow[], entry: EntryRow): number | null {
  if (first?.model !== ledger.JUDGED) return null;
  const { prior_confidence, outcome_count, verdicts } = standingOf(entry);
  return prior_confidence ?? (outcome_count === 0 ? (verdicts?.own_confidence ?? null) : null);
}

/**
 * The lines that count for the current value of an entry: as many as its standing has outcomes and verdicts, the newest
 * ones.
 */
async function linesOf(query: Query, entry: EvidenceHolder): Promise<ledger.LedgerRow[]> {
  const { outcome_count, verdicts } = standingOf(entry);
  const lines: ledger.LedgerRow[] = [];
  let from = positionOf(entry.line_seq, entry.line_no);
  let left = outcome_count + (verdicts?.line_count ?? 0);
  while (from && left > 0) {
    const page = await ledger.listLedger(query, entry.account_id, { from, since: 0, limit: LINES_PER_STATEMENT });
    for (const line of page) {
      if (left === 0) break;
      if (!ledger.hasCounted(line)) continue;
      if (line.model !== ledger.DEMOTED) left--;
      lines.push(line);
    }
    const last = page.at(-1);
    from = last && positionOf(last.before_seq, last.before_no);
  }
  return lines;
}

const positionOf = (seq: number | null, no: number | null) => (seq === null || no === null ? undefined : { seq, no });

function lineFor(
  entry: EntryRow,
  { outcome_ref: _, outcome_visible_to, stated_confidence: __, ...line }: ledger.LedgerRow,
  { seq, no }: { seq: number; no: number },
): ledger.EvidenceRow {
  const { entry_id, branch, version, shared, agent_id } = entry;
  const visible_to = shared === 1 ? line.visible_to || outcome_visible_to || EVERYONE : agent_id;
  const { origin_seq, origin_no } = line;
  return {
    ...line,
    ...{ seq, no, entry_id, branch, version, visible_to },
    origin_seq: origin_seq ?? line.seq,
    origin_no: origin_no ?? line.no,
  };
}

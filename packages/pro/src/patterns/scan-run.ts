import {
  type ConsumerContext,
  type Dialect,
  type EntryView,
  type Glob,
  giveWay,
  MAIN_LINEAGE,
  parseGlob,
  type Query,
  seqAt,
} from '@mem-service/server/module';
import { getScan, type PatternScanRow, upsertScans } from './queries.ts';
import type { PatternFinding } from './rules/finding.ts';
import { DAY_MS, HOT_DAYS, RECENT_DAYS, type ScanTerms } from './rules/path-facts.ts';
import { TextComparison } from './rules/similar.ts';
import { type KeptPatterns, saveFindings } from './save.ts';
import type { ScanSettings } from './start.ts';

/** Where it is, is stored this often, so that little is done again after a crash. */
const SAVE_EVERY_MS = 1000;
/** It rests after no less work than this. */
const LEAST_WORK_MS = 5;
/** Findings that one transaction stores. */
const SAVED_AT_ONCE = 50;

type CountedMember = 'scanned_entries' | 'scanned_outcomes' | 'scanned_agents' | 'scanned_branches';
type ScanPlace = Partial<Pick<PatternScanRow, 'phase' | 'entity_path' | 'place'>>;

export async function termsOf(
  query: Query,
  { account_id, created_at: at, settings }: PatternScanRow,
): Promise<ScanTerms> {
  const [hot_seq, recent_seq] = await Promise.all(
    [HOT_DAYS, RECENT_DAYS].map((days) => seqAt(query, account_id, at - days * DAY_MS)),
  );
  return {
    at,
    hot_seq: hot_seq as number,
    recent_seq: recent_seq as number,
    ...(JSON.parse(settings) as ScanSettings),
  };
}

type ScanParts = { context: ConsumerContext; row: PatternScanRow; terms: ScanTerms; kept: KeptPatterns };

/** One scan as it goes on, with what it has found since its place was last stored. */
export class ScanRun {
  isOver = false;
  readonly context: ConsumerContext;
  readonly row: PatternScanRow;
  readonly terms: ScanTerms;
  readonly kept: KeptPatterns;
  readonly query: Query;
  readonly dialect: Dialect;
  readonly view: EntryView;
  readonly paths: Glob | undefined;
  readonly texts = new TextComparison();
  #pending: PatternFinding[] = [];
  #counted: Partial<Record<CountedMember, number>> = {};
  #savedAt = performance.now();
  #workedSince = performance.now();

  constructor({ context, row, terms, kept }: ScanParts) {
    const { database } = context.kernel.services;
    this.context = context;
    this.row = row;
    this.terms = terms;
    this.kept = kept;
    this.query = database.forAccount(row.account_id).scan;
    this.dialect = database.dialect;
    this.paths = row.for_path === null ? undefined : parseGlob(row.for_path);
    // Nobody has this name: only what everyone may see is looked at.
    this.view = {
      ...{ account_id: row.account_id, lineage: MAIN_LINEAGE, agent_id: '', scope: undefined },
      ...{ at: terms.at, dialect: database.dialect },
    };
  }

  count(member: CountedMember, n = 1): void {
    this.#counted[member] = (this.#counted[member] ?? 0) + n;
  }

  /** Keeps what concerns the agent that the scan is about, if it is about one. */
  report(finding: PatternFinding): void {
    const { for_agent } = this.row;
    if (for_agent === null || finding.agents.includes(for_agent)) this.#pending.push(finding);
  }

  /** To be awaited after each path, agent or branch: stores where the scan is, now and then, and gives way to others. */
  async endOfPart(place: ScanPlace): Promise<void> {
    const isDue = performance.now() - this.#savedAt >= SAVE_EVERY_MS || this.#pending.length >= SAVED_AT_ONCE;
    if (isDue) await this.save(place);
    if (this.context.isStopping()) this.isOver = true;
    if (this.isOver) return;
    const workedMs = performance.now() - this.#workedSince;
    if (workedMs < LEAST_WORK_MS) return;
    await giveWay(workedMs, this.context.stopped);
    this.#workedSince = performance.now();
  }

  async save(place: ScanPlace): Promise<void> {
    do {
      const some = this.#pending.splice(0, SAVED_AT_ONCE);
      const isLast = this.#pending.length === 0;
      const counted = isLast ? this.#counted : {};
      await this.context.step(async (work) => {
        const now = await getScan(work.tx, this.row.account_id, this.row.scan_id);
        if (now?.status !== 'running') {
          this.isOver = true;
          return;
        }
        const { found, opened } = await saveFindings(work, { scan_seq: this.row.created_seq, kept: this.kept }, some);
        const after: PatternScanRow = {
          ...{ ...now, ...(isLast ? place : {}), failures: 0 },
          scanned_entries: now.scanned_entries + (counted.scanned_entries ?? 0),
          scanned_outcomes: now.scanned_outcomes + (counted.scanned_outcomes ?? 0),
          scanned_agents: now.scanned_agents + (counted.scanned_agents ?? 0),
          scanned_branches: now.scanned_branches + (counted.scanned_branches ?? 0),
          patterns_found: now.patterns_found + found,
          patterns_opened: now.patterns_opened + opened,
        };
        work.send(work.tx.insertMany(upsertScans, [after]));
      });
      if (isLast) this.#counted = {};
    } while (this.#pending.length > 0 && !this.isOver);
    this.#savedAt = performance.now();
  }
}

import type { Consumer, ConsumerContext, Work } from '@mem-service/server/module';
import * as queries from './queries.ts';
import { DAY_MS } from './rules/path-facts.ts';
import { KeptPatterns } from './save.ts';
import { scanAgents } from './scan-agents.ts';
import { scanBranches } from './scan-branches.ts';
import { scanEntries } from './scan-entries.ts';
import { ScanRun, termsOf } from './scan-run.ts';
import { endedScan } from './start.ts';

/** After so many failures at one place a scan is given up, so that another can begin. */
const MAX_FAILURES = 5;

/** Goes on with the scan of an account, page by page; after a crash at the last path that was done. */
export const runScans: Consumer = {
  name: 'patterns.scan',
  event_types: ['pattern_scan_started'],
  starts_at: 'now',
  async handle(context) {
    const { kernel, account_id, isStopping } = context;
    const { read } = kernel.services.database.forAccount(account_id);
    for (;;) {
      const scan = await queries.getRunningScan(read, account_id);
      if (!scan || isStopping()) return;
      try {
        await runScan(context, scan);
      } catch (error) {
        if (!(await isGivenUp(context, scan))) throw error;
      }
    }
  },
};

type ScanPhase = 'entries' | 'agents' | 'branches';

const PHASES: readonly { phase: ScanPhase; look: (run: ScanRun) => Promise<void> }[] = [
  { phase: 'entries', look: scanEntries },
  { phase: 'agents', look: scanAgents },
  { phase: 'branches', look: scanBranches },
];

async function runScan(context: ConsumerContext, scan: queries.PatternScanRow): Promise<void> {
  const { read } = context.kernel.services.database.forAccount(scan.account_id);
  const terms = await termsOf(read, scan);
  const kept = new KeptPatterns(await queries.listFoundBy(read, scan.account_id, scan.created_seq));
  const run = new ScanRun({ context, row: scan, terms, kept });
  // A scan of paths looks neither at agents nor at branches.
  const phases = scan.for_path === null ? PHASES : PHASES.slice(0, 1);
  const first = phases.findIndex(({ phase }) => phase === scan.phase);
  for (const [i, { look }] of phases.entries()) {
    if (first < 0 || i < first || run.isOver) continue;
    await look(run);
    if (!run.isOver) await run.save({ phase: phases[i + 1]?.phase ?? 'clearing', place: null });
  }
  if (!run.isOver) await clear(run);
}

const CLEARED_AT_ONCE = 200;
const KEPT_DAYS = 30;
const MAX_KEPT = 5000;

/** What the scan did not find any more is cleared; in steps, because there may be many. */
async function clear(run: ScanRun): Promise<void> {
  const { account_id, created_seq, for_agent, scan_id } = run.row;
  const part = { account_id, scan_seq: created_seq, paths: run.paths, for_agent, limit: CLEARED_AT_ONCE };
  for (let isLast = false; !isLast && !run.isOver; )
    isLast = await run.context.step(async (work) => {
      const now = await queries.getScan(work.tx, account_id, scan_id);
      if (now?.status !== 'running') return true;
      const gone = await queries.listUnfound(work.tx, part);
      const cleared = gone.map((row) => ({ ...row, status: 'cleared', updated_at: work.now }));
      if (cleared.length > 0) work.send(work.tx.insertMany(queries.upsertPatterns, cleared));
      const after = { ...now, patterns_cleared: now.patterns_cleared + cleared.length };
      const isDone = gone.length < CLEARED_AT_ONCE;
      if (isDone) await deleteOld(work);
      work.send(work.tx.insertMany(queries.upsertScans, [isDone ? endedScan(work, after, 'done') : after]));
      return isDone;
    });
}

/** What was cleared a month ago, and what is beyond the newest resolved ones. */
async function deleteOld({ tx, account_id, dialect, now }: Work): Promise<void> {
  const limits = { cleared: now - KEPT_DAYS * DAY_MS, resolved: 0 };
  for (const [status, before] of Object.entries(limits)) {
    const old = await queries.listOld(tx, { account_id, status, before, kept: MAX_KEPT });
    if (old.length > 0) await queries.deletePatterns(tx, account_id, { ids: dialect.texts(old), status });
  }
  await queries.deleteLeftAgents(tx, account_id);
}

async function isGivenUp(context: ConsumerContext, { account_id, scan_id }: queries.PatternScanRow): Promise<boolean> {
  return context.step(async (work) => {
    const now = await queries.getScan(work.tx, account_id, scan_id);
    if (now?.status !== 'running') return true;
    const after = { ...now, failures: now.failures + 1 };
    const isOver = after.failures >= MAX_FAILURES;
    work.send(work.tx.insertMany(queries.upsertScans, [isOver ? endedScan(work, after, 'failed') : after]));
    return isOver;
  });
}

import { findingAt, type PatternFinding } from '../../packages/pro/src/patterns/rules/finding.ts';
import { KeptPatterns, patternIdOf, saveFindings } from '../../packages/pro/src/patterns/save.ts';
import { newestChangeOn, unchanged } from '../../packages/server/src/module.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

type LaidPatterns = {
  /** Each is a path with one entry, which its pattern is about. */
  paths: readonly string[];
  reason?: (i: number) => string;
};

/** Patterns that are open, or resolved where there is a reason, and a scan of each that was cancelled. */
export async function layPatterns(
  app: TestApp,
  { as, known }: Pick<ExampleSetup, 'as'> & { known: KnownIds },
  { paths, reason }: LaidPatterns,
): Promise<void> {
  const by = caller(as);
  const { account_id, agent_id } = by;
  const { read } = app.kernel.services.database.forAccount(account_id);
  const findings: PatternFinding[] = [];
  for (const entity_path of paths) {
    await app.call('entries.write', { entity_path, key: 'stated', value: 'in two ways' }, as);
    // The number of an entry is the place of its first version in the log.
    const entry_id = await newestChangeOn(read, account_id, 'main');
    findings.push(
      findingAt({
        ...{ pattern_type: 'knowledge_conflict', severity: 'warning', weight: 1, entity_path, evidence_seq: entry_id },
        ...{ figures: { conflicts: 1, entries: 1 }, entries: [{ entry_id, version: 1, agent_id }] },
      }),
    );
    const { scan_id } = await app.call('pattern_scans.create', { entity_path }, as);
    await app.call('pattern_scans.cancel', { scan_id }, as);
    known.scan_id = scan_id;
  }
  await app.kernel.work(by, 'patterns.scan', async (work) => {
    await saveFindings(work, { scan_seq: work.account.seq, kept: new KeptPatterns([]) }, findings);
    return unchanged({});
  });
  const ids = findings.map(patternIdOf);
  if (reason)
    for (const [i, pattern_id] of ids.entries())
      await app.call('detected_patterns.resolve', { pattern_id, reason: reason(i) }, as);
  [known.pattern_id] = ids;
}

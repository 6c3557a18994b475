import { pause, type ReadContext } from '@mem-service/server/module';
import type { NumberedVersion } from '../evaluation/index.ts';
import { LEAST_FAILURES } from '../evaluation/rules/circumstances.ts';
import { namesOf } from '../evaluation/shown-memory.ts';
import { causesOfRuns, readsOfRuns, type TracedRun } from '../segments/index.ts';

/** A run whose result is known, and the versions that it read or rested on, by name. */
export type RunWithReads = { run: TracedRun; failed: boolean; reads: Set<string> };

export const versionName = ({ entry_id, version }: NumberedVersion): string => `${entry_id}@${version}`;

export function versionIn(name: string): NumberedVersion {
  const [entry_id, version] = name.split('@').map(Number) as [number, number];
  return { entry_id, version };
}

/** Reads of all runs together. */
const MAX_READS = 100_000;
const READS_PER_STEP = 1000;
/** Versions of which it is checked whether the reader may know them: those that the most failing runs read. */
const MAX_SUSPECTED = 2000;

/**
 * What each run read, by its trace and by the ledger, without what the reader may not see. A search shows much; what an
 * outcome rested on of that is in the ledger. Runs of which not all was loaded are left out: they would count as passing
 * or failing without it.
 */
export async function loadReadSets(
  context: ReadContext,
  runs: readonly TracedRun[],
): Promise<{ sets: RunWithReads[]; isAll: boolean }> {
  const known = runs.filter(({ failed }) => failed !== null);
  const seqs = known.map(({ seq }) => seq);
  const reads = await readsOfRuns(context, seqs, MAX_READS);
  const causes = await causesOfRuns(context, seqs.slice(0, reads.done), MAX_READS);
  const loaded = known.slice(0, causes.done);
  const sets = new Map(loaded.map((run) => [run.seq, { run, failed: run.failed === true, reads: new Set<string>() }]));
  for (const parts of [reads.parts, causes.parts])
    for (const [i, part] of parts.entries()) {
      if (i % READS_PER_STEP === 0) await pause();
      sets.get(part.seq)?.reads.add(versionName(part));
    }
  const all = [...sets.values()];
  await hideUnseen(context, all);
  return { sets: all, isAll: loaded.length === known.length };
}

/** Removes what could become a suspect and the reader may not read now. */
async function hideUnseen(context: ReadContext, sets: readonly RunWithReads[]): Promise<void> {
  const failures = new Map<string, number>();
  for (const { failed, reads } of sets) {
    if (failed) for (const name of reads) failures.set(name, (failures.get(name) ?? 0) + 1);
    await pause();
  }
  const suspected = [...failures].filter(([, n]) => n >= LEAST_FAILURES).sort(([, n], [, m]) => m - n);
  const checked = suspected.slice(0, MAX_SUSPECTED).map(([name]) => name);
  const shown = await namesOf(
    { read: context.scan, caller: context.caller, services: context.services },
    checked.map((name) => [versionIn(name)]),
  );
  const seen = new Set(checked.filter((_, i) => shown[i]?.length === 1));
  const hidden = new Set(suspected.flatMap(([name]) => (seen.has(name) ? [] : [name])));
  for (const { reads } of sets) {
    for (const name of reads) if (hidden.has(name)) reads.delete(name);
    await pause();
  }
}

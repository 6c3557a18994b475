import {
  findEntriesByNumber,
  findVersions,
  inTurns,
  type Output,
  type ReadContext,
  toIso,
} from '@mem-service/server/module';
import { attributeFailures, type Suspect } from '../evaluation/rules/attribution.ts';
import { type MemoryName, namesOf } from '../evaluation/shown-memory.ts';
import type { CollectedRuns } from '../segments/index.ts';
import { circumstanceIn, loadCircumstances } from './circumstances.ts';
import { type LedgerOfVersion, ledgerOf } from './ledger.ts';
import { loadReadSets, type RunWithReads, versionIn } from './read-sets.ts';

/** A suspect with its numbers, for those who go on with it. */
export type SuspectMemory = Output<'failures.attribute'>['suspects'][number];
export type NumberedSuspect = {
  name: string;
  entry_id: number;
  memory: SuspectMemory;
  /** Names of versions that the very same runs read. */
  beside: readonly string[];
};

export type AttributedFailures = {
  suspects: NumberedSuspect[];
  sets: readonly RunWithReads[];
  failed: number;
  complete: boolean;
};

const MAX_BESIDE = 20;
const MAX_TRACES = 5;

/** The versions that failing runs read more often than passing ones, among those that the reader may see. */
export async function attributeRuns(
  context: ReadContext,
  { runs, isAll }: CollectedRuns,
  limit: number,
): Promise<AttributedFailures> {
  const { sets, isAll: isAllRead } = await loadReadSets(context, runs);
  const circumstances = await loadCircumstances(context, sets);
  const compared = sets.map(({ run, failed, reads: names }, i) => ({
    ...{ failed, reads: [...names], at: run.seq, circumstances: circumstances[i] ?? [] },
  }));
  const suspects = await inTurns(attributeFailures(compared, limit));
  const failed = sets.filter((one) => one.failed).length;
  return { suspects: await describe(context, suspects, sets), sets, failed, complete: isAll && isAllRead };
}

async function describe(
  context: ReadContext,
  suspects: readonly Suspect[],
  sets: readonly RunWithReads[],
): Promise<NumberedSuspect[]> {
  const { scan, caller, services } = context;
  const { account_id } = caller;
  const beside = (one: Suspect) => one.always_with.slice(0, MAX_BESIDE);
  const names = [...new Set(suspects.flatMap((one) => [one.name, ...beside(one)]))];
  const own = suspects.map(({ name }) => versionIn(name));
  const lists = names.map((name) => [versionIn(name)]);
  const shown = await namesOf({ read: scan, caller, services }, lists);
  const [heads, versions, ledger] = await Promise.all([
    findEntriesByNumber(scan, account_id, own),
    findVersions(scan, account_id, own),
    ledgerOf(context, own),
  ]);
  const nameOf = new Map<string, MemoryName>();
  for (const [i, name] of names.entries()) for (const memory of shown[i] ?? []) nameOf.set(name, memory);
  return suspects.flatMap((one, i): NumberedSuspect[] => {
    const { name, with_it, without_it, lift, p, explained_by } = one;
    const memory = nameOf.get(name);
    const head = heads[i];
    if (!memory || !head) return [];
    const version = versions[i];
    const suspect = {
      ...memory,
      newest_version: head.version,
      deleted: head.deleted === 1,
      written_by: version?.agent_id ?? null,
      written_at: version ? toIso(version.written_at) : null,
      ...{ with_it, without_it, lift, p },
      always_with: beside(one).flatMap((other) => nameOf.get(other) ?? []),
      explained_by: shownExplanation(explained_by, { nameOf, sets }),
      ledger: ledger.get(name) as LedgerOfVersion,
      trace_ids: failingReaders(sets, name),
    };
    const others = beside(one).filter((other) => nameOf.has(other));
    return [{ name, entry_id: head.entry_id, memory: suspect, beside: others }];
  });
}

type KnownNames = { nameOf: ReadonlyMap<string, MemoryName>; sets: readonly RunWithReads[] };

function shownExplanation(
  explained: Suspect['explained_by'],
  { nameOf, sets }: KnownNames,
): SuspectMemory['explained_by'] {
  if (explained === null) return null;
  if (typeof explained === 'string') return nameOf.get(explained) ?? null;
  if ('circumstance' in explained) return circumstanceIn(explained.circumstance);
  const first = sets.find(({ run }) => run.seq === explained.since);
  return { dimension: 'since', value: toIso(first?.run.created_at ?? 0) };
}

/** The newest first, as the runs are. */
function failingReaders(sets: readonly RunWithReads[], name: string): string[] {
  const readers = sets.filter(({ failed, reads: names }) => failed && names.has(name));
  return readers.slice(0, MAX_TRACES).map(({ run }) => run.trace_id);
}

import { findEntriesByNumber, findVersions, MAIN_BRANCH, type ReadContext } from '@mem-service/server/module';
import {
  type AttributedFailures,
  attributeRuns,
  type LedgerOfVersion,
  ledgerOf,
  type NumberedSuspect,
  versionIn,
  versionName,
} from '../attribution/index.ts';
import type { NumberedVersion } from '../evaluation/index.ts';
import { namesOf } from '../evaluation/shown-memory.ts';
import type { CollectedRuns } from '../segments/index.ts';
import { outcomesOf, type RunsOfVersion, type RunWord, speakAgainst, whyByRuns } from './rules/words.ts';

/** A version of an entry on `main` that is to blame for failures. */
export type BlamedVersion = NumberedVersion & {
  runs: RunsOfVersion | null;
  ledger: LedgerOfVersion;
  why: string;
};

const MAX_BLAMED = 5;
const MAX_SUSPECTS = 50;
/** Versions of which the ledger is asked whether outcomes speak against them. */
const MAX_ASKED = 200;
export const LINES_OF_ONE = 1000;

/** The suspects among what runs on `main` read. */
export function suspectsOf(context: ReadContext, { runs, isAll }: CollectedRuns): Promise<AttributedFailures> {
  const ofMain = runs.filter(({ branch }) => branch === MAIN_BRANCH);
  return attributeRuns(context, { runs: ofMain, isAll }, MAX_SUSPECTS);
}

/**
 * The surest of the suspects that stand by themselves and have not been rewritten since. Of versions that the same runs read, the one
 * that was written last.
 */
export async function blameSuspects(
  context: ReadContext,
  suspects: readonly NumberedSuspect[],
  what: RunWord = 'failed',
): Promise<BlamedVersion[]> {
  const leading = suspects.filter(({ memory }) => memory.explained_by === null).slice(0, MAX_BLAMED);
  const blamed: BlamedVersion[] = [];
  for (const { name, beside, memory } of leading) {
    const newest = await writtenLast(context, [name, ...beside]);
    if (!newest) continue;
    const { with_it, without_it, lift, p } = memory;
    const runs = { with_it, without_it, lift, p };
    const ledger = await ledgerOfOne(context, newest);
    blamed.push({
      ...newest,
      runs,
      ledger,
      why: `${whyByRuns({ ...runs, beside: beside.length, what })} ${inWords(ledger)}`,
    });
  }
  return blamed;
}

const inWords = (ledger: LedgerOfVersion): string => `By the ledger, ${outcomesOf(ledger)}.`;

async function ledgerOfOne(context: ReadContext, version: NumberedVersion): Promise<LedgerOfVersion> {
  const found = await ledgerOf(context, [version], LINES_OF_ONE);
  return found.get(versionName(version)) as LedgerOfVersion;
}

/** Of those that are what their entry on `main` says now. */
async function writtenLast(context: ReadContext, names: readonly string[]): Promise<NumberedVersion | undefined> {
  const { scan, caller } = context;
  const current = await currentOf(context, names.map(versionIn));
  const facts = await findVersions(scan, caller.account_id, current);
  const [last] = current
    .flatMap((one, i) => ({ ...one, written_at: facts[i]?.written_at ?? 0 }))
    .sort((one, other) => other.written_at - one.written_at);
  return last && { entry_id: last.entry_id, version: last.version };
}

async function currentOf(context: ReadContext, versions: readonly NumberedVersion[]): Promise<NumberedVersion[]> {
  const heads = await findEntriesByNumber(context.scan, context.caller.account_id, versions);
  return versions.filter((one, i) => {
    const head = heads[i];
    return head?.branch === MAIN_BRANCH && head.deleted === 0 && head.version === one.version;
  });
}

type AskedLedger = { versions: readonly NumberedVersion[]; isFound?: boolean };

/**
 * Where runs say nothing: versions that a verdict rests on (`isFound`), or those that failing runs read and outcomes speak against, the
 * worst first.
 */
export async function blameByLedger(
  context: ReadContext,
  { versions, isFound = false }: AskedLedger,
): Promise<BlamedVersion[]> {
  const { scan, caller, services } = context;
  const current = await currentOf(context, versions.slice(0, MAX_ASKED));
  const shown = await namesOf(
    { read: scan, caller, services },
    current.map((one) => [one]),
  );
  const seen = current.filter((_, i) => shown[i]?.length === 1);
  const ledgers = await ledgerOf(context, seen, LINES_OF_ONE);
  const asked = seen.map((one) => ({ ...one, ledger: ledgers.get(versionName(one)) as LedgerOfVersion }));
  return asked
    .filter(({ ledger }) => isFound || speakAgainst(ledger))
    .sort((one, other) => excessOf(other.ledger) - excessOf(one.ledger) || one.entry_id - other.entry_id)
    .slice(0, MAX_BLAMED)
    .map(({ entry_id, version, ledger }) => {
      const why = isFound ? `The verdict rests on it. ${inWords(ledger)}` : `Failing runs read it. ${inWords(ledger)}`;
      return { entry_id, version, runs: null, ledger, why };
    });
}

const excessOf = ({ successes, failures }: LedgerOfVersion): number => failures - successes;

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
import { areEnough, outcomesOf, type RunsOfVersion, type RunWord, speakFor, whyByRuns } from './rules/words.ts';

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
 * The surest of the suspects that stand by themselves, have not been rewritten since, and that outcomes do not speak for. Of versions that
 * the same runs read, the one that was written last.
 */
export async function blameSuspects(
  context: ReadContext,
  suspects: readonly NumberedSuspect[],
  what: RunWord = 'failed',
): Promise<BlamedVersion[]> {
  const leading = suspects.filter(({ memory }) => memory.explained_by === null);
  const blamed: BlamedVersion[] = [];
  for (const { name, beside, memory } of leading) {
    if (blamed.length === MAX_BLAMED) break;
    const newest = await writtenLast(context, [name, ...beside]);
    if (!newest) continue;
    const { with_it, without_it, lift, p } = memory;
    const runs = { with_it, without_it, lift, p };
    const ledger = await ledgerOfOne(context, newest);
    if (speakFor(ledger)) continue;
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

type AskedLedger = {
  versions: readonly NumberedVersion[];
  /** Suspects that something else explains. */
  explained?: ReadonlySet<string>;
  isFound?: boolean;
};

/** The names of suspects that were only read where there was something else that makes runs fail. */
export const explainedIn = ({ suspects }: AttributedFailures): ReadonlySet<string> =>
  new Set(suspects.flatMap(({ name, beside, memory }) => (memory.explained_by === null ? [] : [name, ...beside])));

/**
 * Where runs say nothing: versions that a verdict rests on (`isFound`) and outcomes do not speak for, or those that failing runs read and
 * enough outcomes speak against, the worst first.
 */
export async function blameByLedger(
  context: ReadContext,
  { versions, explained = new Set(), isFound = false }: AskedLedger,
): Promise<BlamedVersion[]> {
  const { scan, caller, services } = context;
  const asked = versions.filter((one) => !explained.has(versionName(one)));
  const current = await currentOf(context, asked.slice(0, MAX_ASKED));
  const shown = await namesOf(
    { read: scan, caller, services },
    current.map((one) => [one]),
  );
  const seen = current.filter((_, i) => shown[i]?.length === 1);
  const ledgers = await ledgerOf(context, seen, LINES_OF_ONE);
  const known = seen.map((one) => ({ ...one, ledger: ledgers.get(versionName(one)) as LedgerOfVersion }));
  return known
    .filter(({ ledger }) => (isFound ? !speakFor(ledger) : areEnough(ledger)))
    .sort((one, other) => excessOf(other.ledger) - excessOf(one.ledger) || one.entry_id - other.entry_id)
    .slice(0, MAX_BLAMED)
    .map(({ entry_id, version, ledger }) => {
      const why = isFound ? `The verdict rests on it. ${inWords(ledger)}` : `Failing runs read it. ${inWords(ledger)}`;
      return { entry_id, version, runs: null, ledger, why };
    });
}

const excessOf = ({ successes, failures }: LedgerOfVersion): number => failures - successes;

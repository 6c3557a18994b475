import type { EntryKey } from '@mem-service/contract';
import { type Row, sql } from '../../../db/index.ts';
import {
  type AgentEraser,
  addStored,
  type Caller,
  type CountingWork,
  type EntryEraser,
  type EntryHead,
  type ErasedEntries,
  MAIN_BRANCH,
  type Work,
} from '../../../kernel/index.ts';
import { pause } from '../../../turns.ts';
import { updateKeptStandings } from '../kept-entries.ts';
import { updateStandingTexts } from '../standings.ts';
import * as queries from './queries.ts';

export { type AuthoredEntry, type ErasureTarget, listAuthored, newestLeft } from './queries.ts';

/** Entries that are erased at once: what is read about so many is worked through in a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

/**
 * The same on each branch that it reaches: what is erased from `main` is also erased from the branches that have changed it or
 * wrote something of that name, as far as the caller may erase there.
 */
export async function targetsOf(
  { tx, services }: Pick<Work, 'tx' | 'services'>,
  target: queries.ErasureTarget,
  caller: Caller,
): Promise<queries.ErasureTarget[]> {
  if (target.branch !== MAIN_BRANCH) return [target];
  const targets = [target];
  for (const branch of await queries.listBranchesNaming(tx, target))
    if (branch !== MAIN_BRANCH && (await services.branchAccess.mayErase(caller, branch)))
      targets.push({ ...target, branch });
  return targets;
}

/**
 * Finds the entries to erase, with what other modules need to erase their rows about them. Many of them come in parts, to be
 * erased one after the other; the last part is about what names no entry.
 */
export async function* findErased(
  work: Work,
  targets: readonly queries.ErasureTarget[],
  receipt_id: string,
): AsyncGenerator<ErasedEntries> {
  for (const target of targets) yield* findErasedOf(work, target, receipt_id);
}

async function* findErasedOf(
  work: Work,
  target: queries.ErasureTarget,
  receipt_id: string,
): AsyncGenerator<ErasedEntries> {
  const { tx, services } = work;
  const limit = services.limits.max_erased_at_once ?? ENTRIES_AT_ONCE;
  for (let after: EntryHead | undefined; ; ) {
    const named = await queries.listNamed(tx, target, { after, limit });
    const isLast = named.length < limit;
    if (isLast && after === undefined) return yield partOf(work, target, { named, receipt_id });
    if (named.length > 0) yield partOf(work, { ...target, ...namesOf(work, named) }, { named, receipt_id });
    if (isLast) return yield partOf(work, target, { named: [], receipt_id });
    after = named.at(-1);
  }
}

/** Entries by their names, without those that do not exist. Not more than are erased at once. */
export function listHeadsNamed(
  work: CountingWork,
  at: Pick<queries.ErasureTarget, 'account_id' | 'branch'>,
  names: readonly EntryKey[],
): Promise<EntryHead[]> {
  const { paths, keys } = namesOf(work, names);
  return queries.listNamed(work.tx, { ...at, agent_id: '', paths, keys }, { after: undefined, limit: ENTRIES_AT_ONCE });
}

/** All of them of one branch at once, to be counted. */
export async function findCounted(work: CountingWork, target: queries.ErasureTarget): Promise<ErasedEntries> {
  const named: EntryHead[] = [];
  for (let after: EntryHead | undefined; ; after = named.at(-1)) {
    const page = await queries.listNamed(work.tx, target, { after, limit: ENTRIES_AT_ONCE });
    for (const head of page) named.push(head);
    if (page.length < ENTRIES_AT_ONCE) return partOf(work, target, { named, receipt_id: '' });
  }
}

type NamedPart = { named: readonly EntryHead[]; receipt_id: string };

/** `named` includes entries that the agent may not see; those are not erased. */
function partOf(
  work: Pick<Work, 'dialect'>,
  target: queries.ErasureTarget,
  { named, receipt_id }: NamedPart,
): ErasedEntries {
  const heads = named.filter(({ shared, agent_id }) => shared === 1 || agent_id === target.agent_id);
  const namedIds = work.dialect.numbers(named.map(({ entry_id }) => entry_id));
  return { ...target, ...sqlOf(work, target, heads), namedIds, receipt_id };
}

/** Conditions on the columns `entity_path` and `key` of rows that name one of these entries. */
function namesOf({ dialect }: Pick<Work, 'dialect'>, heads: readonly EntryKey[]) {
  const paths = dialect.texts([...new Set(heads.map(({ entity_path }) => entity_path))]);
  return {
    paths: [sql`entity_path IN (SELECT value FROM ${paths})`],
    keys: [queries.isOneOf(dialect.pairs(heads.map(({ entity_path, key }) => [entity_path, key])))],
  };
}

/** The same for entries that are already loaded, with all rows that refer to them, regardless of who may see those. */
export function* erasedEntries(
  work: Pick<Work, 'account_id' | 'dialect'> & Partial<Pick<Work, 'services'>>,
  heads: readonly EntryHead[],
  receipt_id: string,
): Generator<ErasedEntries, void> {
  const { account_id, services } = work;
  const most = services?.limits.max_erased_at_once ?? ENTRIES_AT_ONCE;
  for (const branch of new Set(heads.map((head) => head.branch))) {
    const all = heads.filter((head) => head.branch === branch);
    for (let at = 0; at < all.length; at += most) {
      const some = all.slice(at, at + most);
      const parts = sqlOf(work, { account_id, branch }, some);
      const namedIds = parts.erasedIds;
      yield { account_id, branch, agent_id: '', ...namesOf(work, some), namedIds, receipt_id, ...parts };
    }
  }
}

function sqlOf(
  { dialect }: Pick<Work, 'dialect'>,
  at: Pick<ErasedEntries, 'account_id' | 'branch'>,
  heads: readonly EntryHead[],
) {
  const ids = heads.map(({ entry_id }) => entry_id);
  const erasedIds = dialect.numbers(ids);
  return {
    heads,
    ids,
    erasedIds,
    names: queries.namesErased(at, erasedIds),
    versionSeqs: queries.versionSeqs(at.account_id, erasedIds),
    emptiedCommits: queries.emptiedCommits(at.account_id, erasedIds),
  };
}

export const countVersionsOf = (work: CountingWork, heads: readonly EntryHead[]): Promise<number> =>
  queries.countVersions(work.tx, work.account_id, work.dialect.numbers(heads.map(({ entry_id }) => entry_id)));

export const erasesEntries: EntryEraser = {
  async count({ tx, account_id }, { heads, erasedIds }) {
    const versions = await queries.countVersions(tx, account_id, erasedIds);
    return { entries: heads.length, versions, log_events: versions };
  },
  async erase(work, erased) {
    const { heads, ids } = erased;
    const bytes = await queries.sumBytes(work.tx, erased);
    const live = heads.filter(({ deleted }) => deleted !== 1).length;
    addStored(work, { storage_bytes: -bytes, storage_entries: -live });
    return { entries: heads.length, versions: await queries.deleteEntries(work, ids) };
  },
};

/**
 * Replaces the agent's name in the standings of entries that stay. Entries that only this agent wrote are already erased.
 */
export const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    const { tx, account_id } = work;
    const renamed = (_name: string, value: unknown) => (value === agent.agent_id ? agent.alias : value);
    const renamedIn = async (found: readonly queries.StandingText[]): Promise<Row[]> => {
      const rows: Row[] = [];
      for (const row of found) {
        await pause();
        rows.push({ ...row, account_id, standing: JSON.stringify(JSON.parse(row.standing, renamed)) });
      }
      return rows;
    };
    await tx.updateMany(updateStandingTexts, await renamedIn(await queries.listStandingsNaming(tx, agent)));
    await tx.updateMany(updateKeptStandings, await renamedIn(await queries.listKeptStandingsNaming(tx, agent)));
  },
};

import { sql } from '../../../db/index.ts';
import {
  type AgentEraser,
  addStored,
  type EntryEraser,
  type EntryHead,
  type ErasedEntries,
  type Work,
} from '../../../kernel/index.ts';
import { updateStandingTexts } from '../standings.ts';
import * as queries from './queries.ts';

export { type AuthoredEntry, type ErasureTarget, listAuthored, newestLeft } from './queries.ts';

/** Returns the entries to erase, with what other modules need to erase their rows about them. */
export async function findErased(
  work: Work,
  target: queries.ErasureTarget,
  receipt_id: string,
): Promise<ErasedEntries> {
  const heads = await queries.listTargets(work.tx, target);
  const namedIds = work.dialect.numbers(await queries.listNamed(work.tx, target));
  return { ...target, ...sqlOf(work, target, heads), namedIds, receipt_id };
}

/** The same for entries that are already loaded, with all rows that refer to them, regardless of who may see those. */
export function erasedEntries(work: Work, heads: readonly EntryHead[], receipt_id: string): ErasedEntries[] {
  const { account_id, dialect } = work;
  const branches = new Set(heads.map(({ branch }) => branch));
  return [...branches].map((branch) => {
    const some = heads.filter((head) => head.branch === branch);
    const parts = sqlOf(work, { account_id, branch }, some);
    const paths = dialect.texts([...new Set(some.map(({ entity_path }) => entity_path))]);
    return {
      account_id,
      branch,
      agent_id: '',
      paths: [sql`entity_path IN (SELECT value FROM ${paths})`],
      keys: [queries.isOneOf(dialect.pairs(some.map(({ entity_path, key }) => [entity_path, key])))],
      namedIds: parts.erasedIds,
      receipt_id,
      ...parts,
    };
  });
}

function sqlOf({ dialect }: Work, at: Pick<ErasedEntries, 'account_id' | 'branch'>, heads: readonly EntryHead[]) {
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

export const countVersionsOf = (work: Work, heads: readonly EntryHead[]): Promise<number> =>
  queries.countVersions(work.tx, work.account_id, work.dialect.numbers(heads.map(({ entry_id }) => entry_id)));

export const erasesEntries: EntryEraser = {
  async count({ tx, account_id }, { heads, erasedIds }) {
    const versions = await queries.countVersions(tx, account_id, erasedIds);
    return { entries: heads.length, versions, log_events: versions };
  },
  async erase(work, erased) {
    const { heads, ids } = erased;
    const bytes = await queries.sumBytes(work.tx, erased);
    const live = heads.filter(({ deleted }) => deleted === 0).length;
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
    const rows = await queries.listStandingsNaming(tx, agent);
    const renamed = rows.map(({ entry_id, standing }) => ({
      account_id,
      entry_id,
      standing: JSON.stringify(
        JSON.parse(standing, (_name, value) => (value === agent.agent_id ? agent.alias : value)),
      ),
    }));
    await tx.updateMany(updateStandingTexts, renamed);
  },
};

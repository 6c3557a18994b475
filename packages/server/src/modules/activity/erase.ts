import type { AgentEraser, EntryEraser, Work } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { deletePaths, eraseAgentUsage, listPaths } from './queries.ts';
import { namesOver, sortNamesInSteps, type UsedNames } from './rules/forgotten.ts';

/** Looked up once for all parts of an erasure. */
const known = new WeakMap<Work, Promise<UsedNames>>();

function usedNames(work: Work): Promise<UsedNames> {
  let names = known.get(work);
  if (!names) {
    names = listPaths(work.tx, work.account_id).then((paths) => inTurns(sortNamesInSteps(paths)));
    known.set(work, names);
  }
  return names;
}

export const erasesEntries: EntryEraser = {
  async erase(work, { heads }) {
    const { tx, account_id, dialect } = work;
    const paths = heads.map(({ entity_path }) => entity_path);
    const names = namesOver(await usedNames(work), paths);
    if (names.length > 0) await deletePaths(tx, account_id, dialect.texts(names));
    return undefined;
  },
};

export const erasesAgent: AgentEraser = {
  async erase({ tx, account_id }, { agent_id }) {
    await eraseAgentUsage(tx, account_id, agent_id);
  },
};

import { type AgentEraser, addStored, type EntryEraser, type Module } from '../../kernel/index.ts';
import { continueRun } from './continue-run.ts';
import { decide } from './decide.ts';
import { migrations } from './migrations.ts';
import { removeProposals } from './propose.ts';
import { deleteMarks, listNaming, sumProposalsOf } from './queries.ts';
import { candidates, proposals, status } from './reads.ts';
import { runHandler } from './run.ts';
import { propose } from './suggest.ts';
import { tables } from './tables.ts';

export { findNotice } from './notice.ts';
export { familyOf, isContradiction } from './rules/statements.ts';

/** A proposal says in one place what its sources say, so it goes with any of them. */
const erasesEntries: EntryEraser = {
  async erase(work, { account_id, erasedIds }) {
    const { tx, dialect } = work;
    const naming = await listNaming(tx, account_id, erasedIds);
    if (naming.length > 0) await removeProposals(work, dialect.texts(naming));
    await deleteMarks(tx, account_id, erasedIds);
    return undefined;
  },
};

/** The declaration of the table empties the texts of an agent. */
const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    addStored(work, { storage_bytes: -(await sumProposalsOf(work.tx, account_id, agent_id)) });
  },
};

/** Finds what memory could do without: duplicates, contradictions, what is overtaken or stale. */
export const consolidation: Module = {
  name: 'consolidation',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: {
    'consolidation.run': runHandler,
    'consolidation.status': status,
    'consolidation.proposals': proposals,
    'consolidation.candidates': candidates,
    'consolidation.propose': propose,
    'consolidation.decide': decide,
  },
  consumers: [continueRun],
};

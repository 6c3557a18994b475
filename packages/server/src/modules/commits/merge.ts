import { EVERYONE, type Work } from '../../kernel/index.ts';
import type { EntryRow } from '../entries/index.ts';
import { emitCommit } from './handlers.ts';
import * as queries from './queries.ts';
import { treeHashOf } from './scoped-commits.ts';

type StateOfBranch = { branch: string; seq: number };

type MergedCommit = {
  commit_id: string;
  target: StateOfBranch;
  /** Where the changes come from; without it the commit has one parent. */
  source: StateOfBranch | undefined;
  message: string;
  author: { agent_id: string; session_id: string | null; session: string };
  written: readonly EntryRow[];
};

const refOf = ({ branch, seq }: StateOfBranch): string => `${branch}@${seq}`;

/** Records what a merge wrote as a commit of the branch and of what was merged into it. Returns who may see it. */
export async function commitMerge(work: Work, merged: MergedCommit): Promise<string> {
  const { account_id, tx } = work;
  const { commit_id, target, source, message, author, written } = merged;
  const { branch } = target;
  const { agent_id, session_id, session } = author;
  const [parent, other] = await Promise.all([
    queries.getNewestCommit(tx, account_id, branch),
    source && queries.getNewestCommit(tx, account_id, source.branch),
  ]);
  const isOpen = written.length === 0 || written.some(({ shared }) => shared === 1);
  const row: queries.CommitRow = {
    ...{ account_id, commit_id, branch, message, agent_id, session_id },
    // A state without a commit is named as reads name it.
    parent_id: parent?.commit_id ?? (source ? refOf(target) : null),
    merged_parent: source ? (other?.commit_id ?? refOf(source)) : null,
    tree_hash: treeHashOf(written.map(({ content_hash }) => content_hash)),
    entry_count: written.length,
    visible_to: isOpen ? EVERYONE : agent_id,
    seq: 0,
    created_at: work.now,
  };
  row.seq = emitCommit(work, row, session);
  work.send(tx.insertMany(queries.insertCommit, [row]));
  return row.visible_to;
}

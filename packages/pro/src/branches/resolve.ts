import {
  type BranchSpan,
  Fault,
  type HookContext,
  invalidInput,
  type Lineage,
  MAIN_BRANCH,
  type Query,
  readSeq,
  seqAt,
} from '@mem-service/server/module';
import { getTag } from '../tags/queries.ts';
import { type BranchRow, findBranch, getBranch, getForkAt } from './queries.ts';
import { parseRef } from './rules/refs.ts';
import { parseSpans } from './rules/spans.ts';

/** Where refs are looked up: within a transaction, or by reads of the account, which may know a row already. */
export type RefSource = { account_id: string; read: Query; find?: HookContext['find'] };

/** A state of a branch. `seq` is null for the newest one, which moves with every write. */
export type ResolvedRef = {
  branch: string;
  seq: number | null;
  lineage: Lineage;
  /** The row of the branch where its newest state is meant; undefined for `main`. */
  row?: BranchRow | undefined;
};

export const noBranch = (branch: string, why = `there is no branch ${JSON.stringify(branch)}`): Fault =>
  new Fault('branch_not_found', why, { branch });

/** Resolves a ref. Throws where there is no such branch, tag or state. */
export async function resolveRef(source: RefSource, text: string): Promise<ResolvedRef> {
  const found = await findRef(source, text);
  if (!found) throw noBranch(text);
  return found;
}

/** The same, but undefined for a branch that may be another module's. */
export async function findRef(source: RefSource, text: string): Promise<ResolvedRef | undefined> {
  const ref = parseRef(text);
  if (ref === undefined) return undefined;
  if (ref.kind === 'branch') return newestOf(source, ref.branch);
  const { account_id, read } = source;
  if (ref.kind === 'tag') {
    const tag = await getTag(read, account_id, ref.tag);
    if (!tag) throw noBranch(text, `there is no tag ${JSON.stringify(ref.tag)}`);
    return stateAt(source, { branch: tag.branch, seq: tag.seq, is_kept: tag.is_kept === 1 });
  }
  if (ref.kind === 'time') {
    const seq = (await seqAt(read, account_id, ref.time + 1)) - 1;
    return stateAt(source, { branch: ref.branch, seq });
  }
  const newest = await readSeq(read, account_id);
  if (ref.seq > newest)
    throw invalidInput([{ path: 'branch', message: `is beyond the newest place in the log, ${newest}` }]);
  return stateAt(source, ref);
}

async function newestOf(source: RefSource, branch: string): Promise<ResolvedRef | undefined> {
  if (branch === MAIN_BRANCH) return { branch, seq: null, lineage: [{ branch, up_to_seq: null }] };
  const { account_id, read } = source;
  const known = source.find?.<BranchRow>(findBranch, [account_id, branch]);
  const row = await (known ?? getBranch(read, account_id, branch));
  return row && { branch, seq: null, lineage: lineageOf(row), row };
}

export const lineageOf = ({ name, inherits }: Pick<BranchRow, 'name' | 'inherits'>): Lineage => [
  { branch: name, up_to_seq: null },
  ...parseSpans(inherits),
];

/** The state of a branch at a place in the log, with the fork that was in force there. */
export async function stateAt(
  { account_id, read }: RefSource,
  { branch, seq, is_kept = false }: { branch: string; seq: number; is_kept?: boolean },
): Promise<ResolvedRef> {
  const own: BranchSpan = is_kept ? { branch, up_to_seq: seq, is_kept } : { branch, up_to_seq: seq };
  if (branch === MAIN_BRANCH) return { branch, seq, lineage: [own] };
  const fork = await getForkAt(read, account_id, { branch, seq });
  if (!fork) {
    const there = await getBranch(read, account_id, branch);
    throw there
      ? noBranch(branch, `the branch ${JSON.stringify(branch)} did not exist yet at ${seq}`)
      : noBranch(branch);
  }
  return { branch, seq, lineage: [own, ...parseSpans(fork.inherits)] };
}

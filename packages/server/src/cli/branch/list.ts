import type { Output } from '@mem-service/contract';
import type { ServiceConnection } from '../connect.ts';
import { problemOf } from '../failure.ts';

type ListedState = Output<'branches.list'>['branches'][number];
type BranchDetails = Output<'branches.read'>;

/** `is_counted` is false where there are more than were counted. */
export type ListedBranch = ListedState & Partial<Pick<BranchDetails, 'ahead' | 'behind' | 'is_counted'>>;

export type BranchList = { current: string; branches: ListedBranch[]; next_cursor: string | null; has_more: boolean };

export type BranchListRequest = { current: string; all: boolean; limit: number; cursor: string | undefined };

const AT_ONCE = 8;

/** A page of branches, `main` first, with how far each has moved. */
export async function listBranches(connection: ServiceConnection, request: BranchListRequest): Promise<BranchList> {
  const { current, all, limit, cursor } = request;
  const read = async (name: string): Promise<BranchDetails> =>
    JSON.parse(await connection.call('branches.read', { name }));
  const page: Output<'branches.list'> = JSON.parse(
    await connection.call('branches.list', {
      ...(all ? {} : { status: 'active' }),
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  const first = cursor === undefined ? [await read('main')] : [];
  const counted: ListedBranch[] = [];
  for (let at = 0; at < page.branches.length; at += AT_ONCE) {
    const some = page.branches.slice(at, at + AT_ONCE);
    counted.push(...(await Promise.all(some.map((branch) => withCounts(branch, read)))));
  }
  const listed = [...first, ...counted];
  const isListed = cursor !== undefined || listed.some(({ name }) => name === current);
  const missing = isListed ? [] : await presentBranch(() => read(current));
  return { current, branches: [...listed, ...missing], next_cursor: page.next_cursor, has_more: page.has_more };
}

/** A branch may be closed while it is counted, or its parent not be readable. */
async function withCounts(branch: ListedState, read: (name: string) => Promise<BranchDetails>): Promise<ListedBranch> {
  const [details] = await presentBranch(() => read(branch.name));
  return details ?? branch;
}

/** The current branch may be a past state, or be gone. */
async function presentBranch(read: () => Promise<BranchDetails>): Promise<BranchDetails[]> {
  try {
    return [await read()];
  } catch (error) {
    if (['branch_not_found', 'branch_access_denied'].includes(problemOf(error).code)) return [];
    throw error;
  }
}

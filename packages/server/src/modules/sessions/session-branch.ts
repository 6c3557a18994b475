import { type HookContext, lastWriteBranch, type NotingSession } from '../../kernel/index.ts';
import { getSession } from './queries.ts';

/** The branch that a session read on last; of one that read nothing, the branch that it wrote to last. */
export async function sessionBranch(by: NotingSession, context: HookContext): Promise<string | undefined> {
  const { account_id, read, services } = context;
  const key = { account_id, ...by };
  const unstored = await services.noteBuffer.branchOf(account_id, by);
  return unstored ?? (await getSession(read, key))?.branch ?? lastWriteBranch(read, key);
}

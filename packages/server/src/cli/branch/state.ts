import type { ServiceConnection } from '../connect.ts';
import { problemOf } from '../failure.ts';

/** Whether there is a branch, a tag or another state of this name. Throws where the caller may not read it. */
export async function hasState(connection: ServiceConnection, branch: string): Promise<boolean> {
  try {
    await connection.call('entries.list', { branch, fields: 'meta', limit: 1 });
    return true;
  } catch (error) {
    if (problemOf(error).code === 'branch_not_found') return false;
    throw error;
  }
}

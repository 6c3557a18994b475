import type { Output } from '@mem-service/contract';
import type { MemoryLocation } from '@mem-service/mcp/location';
import { findSwitched } from '@mem-service/mcp/switched-branch';
import type { Environment } from '../../config.ts';
import type { ServiceConnection } from '../connect.ts';
import type { ClientConfig } from '../memory.ts';

/** The branch of commands that name none, and what decided it. */
export type ChosenBranch = { name: string } & ({ by: 'MEM_BRANCH' } | { by: 'folder'; folder: string });

export function chooseBranch(env: Environment, folder: string, memory: MemoryLocation): ChosenBranch | undefined {
  if (env.MEM_BRANCH) return { name: env.MEM_BRANCH, by: 'MEM_BRANCH' };
  const found = findSwitched(env, folder, memory);
  return found && { name: found.branch, by: 'folder', folder: found.folder };
}

/** What to name in a message about it. */
export const nameOfChoice = (chosen: ChosenBranch): string =>
  chosen.by === 'folder' ? 'the branch of mem switch' : chosen.by;

/** The branch of a command that names none: chosen here, or else by the service for the key or the agent. */
export async function currentBranch(connection: ServiceConnection, { branch }: ClientConfig): Promise<string> {
  if (branch) return branch.name;
  return (JSON.parse(await connection.call('me.read', {})) as Output<'me.read'>).default_branch;
}

import { Fault } from '@mem-service/contract';
import { describeLocation, hasStore, locateMemory, type MemoryLocation } from '@mem-service/mcp/location';
import type { Config } from '../config.ts';
import { type ChosenBranch, chooseBranch } from './branch/chosen.ts';
import type { CliParts } from './parts.ts';

/** The settings of a command that uses memory. `dataDir` is the folder that the one rule chose. */
export type ClientConfig = Config & { memory: MemoryLocation; branch: ChosenBranch | undefined };

export function readClientConfig(parts: CliParts): ClientConfig {
  const config = findClientConfig(parts);
  const { refusal } = config.memory;
  if (refusal !== undefined) throw new Fault('forbidden', `the memory cannot be used: ${refusal}`);
  return config;
}

/** The same where the memory is only looked at from outside. */
export function findClientConfig(parts: CliParts): ClientConfig {
  const { folder } = parts.readProcessStart();
  const env = parts.readEnvironment();
  const memory = locateMemory(env, folder);
  const config = parts.readConfig();
  return {
    ...config,
    memory,
    branch: chooseBranch(env, folder, memory),
    ...(memory.kind === 'folder' ? { dataDir: memory.at } : {}),
  };
}

/** Reading creates no store. */
export function requireStore(memory: MemoryLocation): void {
  if (hasStore(memory)) return;
  throw new Fault(
    'not_found',
    `there is no memory yet at ${describeLocation(memory)}. The first write creates it; mem init sets up the clients.`,
  );
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasStore, type MemoryLocation } from '@mem-service/mcp/location';
import { connect, type ServiceConnection } from '../connect.ts';
import { type ClientConfig, readClientConfig } from '../memory.ts';
import type { OwnParts } from '../own/command.ts';
import { warn } from '../terminal.ts';

/** Only `write` creates a store. Where there is none, a dry run tries the import on an empty one that is gone after it. */
export type StoreUse = 'read' | 'write' | 'dry run';

/** Runs with a connection to a server or to the store of this machine. */
export async function withConnection<T>(
  parts: OwnParts,
  use: StoreUse,
  run: (connection: ServiceConnection, memory: MemoryLocation) => Promise<T>,
): Promise<T> {
  const config = readClientConfig(parts);
  for (const warning of config.warnings) warn(parts.terminal, warning);
  const onStore = async (store: ClientConfig, creates: boolean): Promise<T> => {
    const connection = await connect(parts, store, { agent: undefined, session: undefined, creates });
    try {
      return await run(connection, config.memory);
    } finally {
      await connection.close();
    }
  };
  if (use !== 'dry run' || hasStore(config.memory)) return onStore(config, use === 'write');
  const dataDir = await mkdtemp(join(tmpdir(), 'mem-dry-run-'));
  try {
    return await onStore({ ...config, dataDir }, true);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from './memory.ts';
import type { CliParts } from './parts.ts';

type OpenedApp = Awaited<ReturnType<CliParts['openApp']>>;

/** A copy of more than this takes too much room and time for one command. */
const MAX_BYTES = 1_000_000_000;
/** Of SQLite: no space, read-only, cannot be opened; and the shared memory beside the file cannot grow. */
const UNWRITABLE = new Set([13, 8, 14]);
const NO_SHARED_MEMORY = 4874;

/** Opens the store for a command that only reads: where it cannot be written to, a copy that is gone after the command. */
export async function openForReading(parts: CliParts, config: ClientConfig): Promise<OpenedApp> {
  try {
    return await parts.openApp(config);
  } catch (error) {
    if (config.memory.kind !== 'folder' || !isUnwritable(error)) throw error;
    return (await openCopy(parts, config).catch(() => undefined)) ?? Promise.reject(error);
  }
}

function isUnwritable(error: unknown): boolean {
  const { errcode = 0, code } = ((error as Error).cause ?? {}) as { errcode?: number; code?: string };
  return UNWRITABLE.has(errcode & 0xff) || errcode === NO_SHARED_MEMORY || code === 'ENOSPC' || code === 'EROFS';
}

async function openCopy(parts: CliParts, config: ClientConfig): Promise<OpenedApp | undefined> {
  const files = ['mem.db', 'mem.db-wal', 'words.db', 'words.db-wal'].filter((name) =>
    existsSync(join(config.dataDir, name)),
  );
  const sizes = await Promise.all(files.map((name) => stat(join(config.dataDir, name))));
  if (files.length === 0 || sizes.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) return undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'mem-read-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    for (const name of files)
      await copyFile(join(config.dataDir, name), join(dataDir, name), constants.COPYFILE_FICLONE);
    for (const name of files) await chmod(join(dataDir, name), 0o600);
    const { kernel, close } = await parts.openApp({ ...config, dataDir });
    return { kernel, close: () => close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

import { dirname } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeMemoryFolder } from './memory-folder.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresDsn: string;
    /** The folder with its socket. */
    postgresSocket: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresDsn', server.dsn);
  project.provide('postgresSocket', dirname(server.dataDir));
  return async () => {
    await server.close();
    removeMemoryFolder();
  };
}

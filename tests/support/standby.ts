import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveAll, serverAccount } from './postgres-binaries.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A standby of a server of the tests. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), 'mem-standby-'));
  const dataDir = join(home, 'data');
  const account = serverAccount();
  if (account) giveAll(home, account);
  await copyData(primary, dataDir);
  writeFileSync(join(dataDir, 'standby.signal'), '');
  if (account) giveAll(home, account);
  const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=postgres`;
  const standby = await startPostgres({ dataDir, settings: { shared_buffers: '16MB', primary_conninfo } });
  return {
    ...standby,
    close: async () => {
      await standby.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Not every installation has pg_basebackup: without it the server is stopped for a moment. */
async function copyData(primary: PostgresServer, dataDir: string): Promise<void> {
  const program = join(process.env.POSTGRES_BIN ?? '', 'pg_basebackup');
  if (process.env.POSTGRES_BIN && existsSync(program)) {
    const args = ['-D', dataDir, '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres', '-c', 'fast', '-R'];
    execFileSync(program, args, { ...serverAccount(), cwd: '/' });
    return;
  }
  await primary.stop();
  cpSync(primary.dataDir, dataDir, { recursive: true });
  await primary.restart();
}

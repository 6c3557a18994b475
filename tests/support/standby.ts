import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveAll, serverAccount } from './postgres-binaries.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A standby of a server of the tests, made from a copy of its data; the server is stopped for a moment. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), 'mem-standby-'));
  const dataDir = join(home, 'data');
  await primary.stop();
  cpSync(primary.dataDir, dataDir, { recursive: true });
  await primary.restart();
  writeFileSync(join(dataDir, 'standby.signal'), '');
  const account = serverAccount();
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

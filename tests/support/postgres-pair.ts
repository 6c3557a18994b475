import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../faults/support/mem-process.ts';
import { runSql } from './place.ts';
import { giveAll, serverAccount } from './postgres-binaries.ts';
import { freePort, type PostgresServer, startPostgres } from './postgres-server.ts';

/** A primary and a standby that take turns, each at its port. */
export type PostgresPair = {
  /** Names both hosts. */
  dsn: string;
  /** The standby has everything that was committed so far. */
  caughtUp(): Promise<void>;
  /** The standby receives nothing more: what is committed from now on is lost with the primary. */
  cutOff(): Promise<void>;
  /** From now on a commit waits for the standby. */
  synchronise(): Promise<void>;
  /** Kills the primary and promotes the standby. Returns the milliseconds that this took. */
  failOver(): Promise<number>;
  /** Makes a standby where there is none, at the port of the server that was killed, while the primary works. */
  addStandby(): Promise<void>;
  close(): Promise<void>;
};

const SETTINGS = { shared_buffers: '16MB', wal_keep_size: '256MB', hot_standby: 'on', max_connections: '60' };

export async function startPair(): Promise<PostgresPair> {
  const home = mkdtempSync(join(tmpdir(), 'mem-pair-'));
  giveToServer(home);
  const ports = [await freePort(), await freePort()];
  let count = 0;
  let primary = await startPostgres({ port: ports[0] as number, settings: SETTINGS });
  let standby: PostgresServer | undefined;

  const addStandby = async () => {
    if (standby) return;
    const dataDir = join(home, `standby-${++count}`);
    await copyOf(primary, dataDir);
    const port = ports.find((one) => one !== primary.port) as number;
    standby = await startPostgres({ port, dataDir, settings: SETTINGS });
    await caughtUp();
  };
  const caughtUp = async () => {
    const { rows } = await runSql(primary.dsn, 'SELECT pg_current_wal_lsn()::text AS lsn');
    const behind = `SELECT pg_last_wal_receive_lsn() >= '${rows[0].lsn}' AS done`;
    await until(async () => (await runSql(place(), behind)).rows[0].done === true, { seconds: 20 });
  };
  const place = () => (standby as PostgresServer).dsn;
  await addStandby();
  return {
    dsn: `postgres://postgres@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/postgres`,
    caughtUp,
    async cutOff() {
      await runSql(place(), `ALTER SYSTEM SET primary_conninfo = ''`);
      await runSql(place(), 'SELECT pg_reload_conf()');
      const receivers = 'SELECT count(*)::int AS n FROM pg_stat_wal_receiver';
      await until(async () => (await runSql(place(), receivers)).rows[0].n === 0, { seconds: 20 });
    },
    async synchronise() {
      await runSql(primary.dsn, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await runSql(primary.dsn, 'SELECT pg_reload_conf()');
      const states = `SELECT coalesce(max(sync_state), '') AS state FROM pg_stat_replication`;
      await until(async () => (await runSql(primary.dsn, states)).rows[0].state === 'sync', { seconds: 20 });
    },
    async failOver() {
      const began = performance.now();
      const backends = childrenOf(primary);
      await primary.kill9();
      for (const pid of backends) killIfThere(pid);
      await runSql(place(), 'SELECT pg_promote()');
      const took = performance.now() - began;
      await primary.close();
      primary = standby as PostgresServer;
      standby = undefined;
      return took;
    },
    addStandby,
    async close() {
      await standby?.close();
      await primary.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A copy of the data of a server at work, as pg_basebackup makes it: a standby that follows it. */
async function copyOf({ dsn, dataDir: from, port }: PostgresServer, dataDir: string): Promise<void> {
  const client = new pg.Client(dsn);
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    // Files that end while it copies are no fault.
    await new Promise<void>((resolve) => execFile('cp', ['-r', from, dataDir], () => resolve()));
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(dataDir, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(dataDir, name), { force: true });
  const wal = join(dataDir, 'pg_wal');
  for (const name of readdirSync(wal)) rmSync(join(wal, name), { recursive: true, force: true });
  for (const name of ['archive_status', 'summaries']) mkdirSync(join(wal, name));
  writeFileSync(join(dataDir, 'standby.signal'), '');
  const settings = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`;
  writeFileSync(join(dataDir, 'postgresql.auto.conf'), settings);
  giveToServer(dataDir);
}

function giveToServer(folder: string): void {
  const account = serverAccount();
  if (account) giveAll(folder, account);
}

/** They outlive the postmaster for a moment, and keep its port. */
function childrenOf({ dataDir }: PostgresServer): number[] {
  const [pid] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

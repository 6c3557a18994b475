import { modules as proModules } from '../../packages/pro/src/index.ts';
import type { AppOptions } from '../../packages/server/src/app.ts';
import { readAccount } from '../../packages/server/src/kernel/index.ts';
import { until } from '../faults/support/mem-process.ts';
import { fakeClock, type TestOptions } from '../support/app.ts';
import { type Hosted, INTERNAL_KEY, type NewAccount, openHosted, write } from '../support/hosted.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/standby.ts';

export const PLANS = { free: { ops_per_month: 100_000 }, tiny: { ops_per_month: 60 } };

/** A primary and a standby of PostgreSQL, each with a hosted server. */
export type Pair = {
  postgres: PostgresServer;
  standby: PostgresServer;
  primary: Hosted;
  replica: Hosted;
  /** Another server on the standby, which ends with the pair where a test that failed left it open. */
  open(more?: Partial<AppOptions>): Promise<Hosted>;
  /** Resolves when the standby has what the primary has done so far; writes to the account. */
  arrived(account: NewAccount): Promise<void>;
  close(): Promise<void>;
};

const at = (dsn: string, more: TestOptions): TestOptions => ({
  place: { options: { dataDir: '', postgresDsn: dsn }, remove: async () => {} },
  settings: { plans: PLANS, quota_enforcement: 'block' },
  ...more,
});

/** `before`: with a standby that has nothing yet. */
export async function openPair(before: (dsn: string) => Promise<void>): Promise<Pair> {
  const clock = fakeClock();
  const postgres = await startPostgres({ settings: { shared_buffers: '16MB' } });
  const standby = await startStandby(postgres);
  await before(standby.dsn);
  const primary = await openHosted('postgres', { app: at(postgres.dsn, { clock }) });
  const stillOpen = new Set<Hosted['close']>();
  const open = async (more: Partial<AppOptions> = {}) => {
    const hosted = await retried(() =>
      openHosted('postgres', {
        app: at(standby.dsn, {
          ...{ clock, readOnly: true, replicaWaitMs: 5_000 },
          ...{ primaryUrl: primary.server.url, internalKey: INTERNAL_KEY, modules: proModules },
          ...more,
        } as TestOptions),
      }),
    );
    const close = () => (stillOpen.delete(close) ? hosted.close() : Promise.resolve());
    stillOpen.add(close);
    return { ...hosted, close };
  };
  const replica = await open();
  const arrived = async ({ account_id, key }: NewAccount) => {
    const { headers } = await primary.as(key, write('here', 'mark', Math.random()));
    const { read } = replica.app.kernel.services.database.forAccount(account_id);
    const seqHere = async () => (await readAccount(read, account_id))?.seq ?? 0;
    await until(async () => (await seqHere()) >= Number(headers.get('x-mem-seq')));
  };
  const close = async () => {
    for (const closeOne of stillOpen) await closeOne();
    for (const one of [primary, standby, postgres]) await one.close();
  };
  return { postgres, standby, primary, replica, open, arrived, close };
}

/** A standby has what was done a moment ago in a moment. */
async function retried<T>(open: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (tries > 100 || (error as Error).name !== 'SchemaError') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

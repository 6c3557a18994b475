import { type Database, StorageError } from './database.ts';
import { PostgresDatabase } from './postgres.ts';
import { readAddress } from './postgres-address.ts';
import { newPool, openSession, planConnections, planDirect } from './postgres-client.ts';
import { PostgresAnnouncements } from './postgres-listen.ts';
import { examineLinks, refuseBadLinks, sentenceOf } from './postgres-pooler.ts';
import type { RowSecurity } from './row-security-types.ts';

export type PostgresOptions = {
  dsn: string;
  /** For connections that keep a session, where the address is that of a pooler of transactions. */
  directDsn?: string | undefined;
  poolSize: number;
  /** Nothing is written: the address is that of a standby, or is used like one. */
  readOnly?: boolean | undefined;
  /** The process will use all connections of its pool: their number is tried before. */
  triesPool?: boolean;
  onError: (error: Error) => void;
  onWarning?: (warning: string) => void;
  /** Undefined: row-level security is neither changed nor looked up. */
  rowSecurity?: RowSecurity;
};

const ONE_STANDBY =
  'with MEM_READ_ONLY name one host: standbys lag by different amounts, and what a client has seen must not disappear again: give each standby a server of its own';

export async function createPostgres(options: PostgresOptions): Promise<Database> {
  const { dsn, directDsn, poolSize, onError, onWarning, rowSecurity, readOnly = false } = options;
  const plan = planConnections(readAddress(dsn));
  if (readOnly && plan.address.hosts.length > 1) throw new StorageError('misconfigured', new Error(ONE_STANDBY));
  const sessions = directDsn === undefined ? plan : planDirect(directDsn);
  const isGuarded = rowSecurity?.mode === 'on';
  const tried = options.triesPool ? poolSize : undefined;
  const report = await examineLinks({ dsn, directDsn, isGuarded, readOnly, poolSize: tried });
  refuseBadLinks(report, { address: plan.address, readOnly });
  for (const warning of report.warnings) onWarning?.(sentenceOf(warning));
  sessions.keepsNames = true;
  plan.keepsNames = report.main.keeps_names;
  plan.lendsTransactions = report.main.kind === 'transaction';
  const lost = { connections: 0 };
  const onLost = (error: Error) => {
    lost.connections++;
    onError(error);
  };
  const pool = newPool(plan, poolSize);
  // A broken connection is replaced at the next request; without a listener, the error would end the process. During a
  // transaction the pool does not listen, and the statements report the error.
  pool.on('error', (error) => onLost(new StorageError('unavailable', error)));
  const announcements = new PostgresAnnouncements(() => openSession(sessions), onLost);
  const isDirect = report.main.kind === 'direct';
  return new PostgresDatabase({
    ...{ pool, poolSize, plan, sessions, announcements, rowSecurity, isDirect, readOnly, lost },
  });
}

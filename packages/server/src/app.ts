import { randomBytes } from 'node:crypto';
import { type Database, openPostgres, openSqlite, type RowSecurity } from './db/index.ts';
import { createBackground, type Jobs, startJobs } from './jobs/index.ts';
import {
  Activity,
  type ClaimTimes,
  type Clock,
  createKernel,
  type Ids,
  insertAccount,
  type Kernel,
  KeyRing,
  keepPlannerFigures,
  type Module,
  migrateAll,
  NoteBuffer,
  randomIds,
  refuseCollisions,
  registryOf,
  SELF_HOSTED_ACCOUNT,
  SETTINGS,
  type Services,
  type Settings,
  systemClock,
} from './kernel/index.ts';
import { accounts } from './modules/accounts/index.ts';
import { activity } from './modules/activity/index.ts';
import { agents } from './modules/agents/index.ts';
import { audit } from './modules/audit/index.ts';
import { commits } from './modules/commits/index.ts';
import { consumers } from './modules/consumers/index.ts';
import { counts } from './modules/counts/index.ts';
import { entries, withProjectionConsumers } from './modules/entries/index.ts';
import { erasure } from './modules/erasure/index.ts';
import { graph } from './modules/graph/index.ts';
import { keySource, keys } from './modules/keys/index.ts';
import { ledger } from './modules/ledger/index.ts';
import { log } from './modules/log/index.ts';
import { outcomes } from './modules/outcomes/index.ts';
import { profiles } from './modules/profiles/index.ts';
import { retention } from './modules/retention/index.ts';
import { search } from './modules/search/index.ts';
import { sessions } from './modules/sessions/index.ts';
import { system } from './modules/system/index.ts';
import { text } from './modules/text/index.ts';
import { traces } from './modules/traces/index.ts';
import { transfer } from './modules/transfer/index.ts';
import { KeyLimiter, UsageMeter, usage } from './modules/usage/index.ts';
import { doorsOf } from './row-security-rules.ts';
import { VERSION } from './version.ts';

/** What the service is without any other package. */
export const coreModules: readonly Module[] = [
  entries,
  counts,
  text,
  commits,
  sessions,
  ledger,
  outcomes,
  traces,
  profiles,
  agents,
  graph,
  search,
  erasure,
  log,
  keys,
  audit,
  accounts,
  activity,
  retention,
  consumers,
  transfer,
  usage,
  system,
];

export type AppOptions = {
  /** Modules of other packages, which come after the service's own. */
  modules?: readonly Module[] | undefined;
  dataDir: string;
  postgresDsn?: string | undefined;
  postgresPool?: number;
  /** Row-level security on PostgreSQL. A store that has it keeps it unless told otherwise. */
  rowSecurity?: RowSecurity['mode'];
  /** The role that requests are served under then. */
  postgresRole?: string | undefined;
  maxValueBytes?: number;
  /** How many entries a filtered list or search looks at before it ends early. */
  maxScannedEntries?: number;
  sweepSeconds?: number;
  /** How long a server holds on to background work that it took, so that tests need not wait. */
  claimTimes?: Partial<ClaimTimes>;
  settings?: Partial<Settings>;
  /** Off: what callers read is not noted in their sessions, and not counted. */
  trackReads?: boolean;
  /** Many accounts: what each uses is counted, and requests of a key are limited. */
  hosted?: boolean;
  rateLimits?: boolean;
  clock?: Clock;
  ids?: Ids;
  onError?: (error: unknown) => void;
  /** Stands between the service and its store, to see or to break what goes through. */
  wrapDatabase?: (database: Database) => Database;
};

export type App = { kernel: Kernel; jobs: Jobs; close(): Promise<void> };

/** Everything but a transport: the store, brought up to date, and the kernel with all modules on top of it. */
export async function openApp(options: AppOptions): Promise<App> {
  const { clock = systemClock, ids = randomIds, onError = () => {}, wrapDatabase = (database) => database } = options;
  const modules = withProjectionConsumers([...coreModules, ...(options.modules ?? [])]);
  refuseCollisions(modules);
  const database = wrapDatabase(await openDatabase(options, modules));
  try {
    const server_id = randomBytes(6).toString('hex');
    const background = createBackground(modules, {
      ...{ database, clock, server_id, onError },
      ...{ sweepSeconds: options.sweepSeconds ?? 60, times: options.claimTimes },
    });
    const base = {
      ...registryOf(modules),
      database,
      clock,
      ids,
      server_id,
      consumers: background.consumers,
      maintenance: background.maintenance,
      version: VERSION,
      activity: new Activity(),
      noteBuffer: new NoteBuffer(options.trackReads ?? true),
      settings: { ...SETTINGS, ...options.settings },
      keys: new KeyRing(keySource(database), clock, onError),
      limits: {
        max_value_bytes: options.maxValueBytes ?? 1024 * 1024,
        max_scanned_entries: options.maxScannedEntries ?? 10_000,
      },
    };
    const schema = await migrateAll(base, modules);
    await keepPlannerFigures(database, base.tables);
    await database.exclusively((tx) => insertAccount(tx, SELF_HOSTED_ACCOUNT, clock.now()));
    const kernel = createKernel({ ...base, ...meteringFor(options, { ...base, onError }), schema }, modules, {
      onError,
    });
    const jobs = await startJobs(kernel, background);
    const close = async () => {
      await jobs.close();
      await kernel.close();
      await kernel.services.limiter?.close();
      await database.close();
    };
    return { kernel, jobs, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

type MeteringParts = Pick<Services, 'database' | 'clock' | 'settings'> & { onError: (error: unknown) => void };

function meteringFor({ hosted = false, rateLimits = true }: AppOptions, parts: MeteringParts) {
  if (!hosted) return {};
  return { meter: new UsageMeter(parts), ...(rateLimits ? { limiter: new KeyLimiter(parts) } : {}) };
}

async function openDatabase(options: AppOptions, modules: readonly Module[]): Promise<Database> {
  if (options.postgresDsn === undefined) return openSqlite(options.dataDir);
  const { onError = () => {} } = options;
  const { postgresDsn: dsn, postgresPool: poolSize = 10, rowSecurity: mode = 'as found', postgresRole: role } = options;
  return openPostgres({ dsn, poolSize, onError, rowSecurity: { mode, role, rules: doorsOf(modules) } });
}

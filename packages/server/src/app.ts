import { randomBytes } from 'node:crypto';
import type { ConnectorHost } from './connectors/types.ts';
import {
  type CacheLimits,
  type Database,
  openPostgres,
  openSqlite,
  type RowSecurity,
  StorageError,
} from './db/index.ts';
import { HttpPrimaryLink } from './http/primary-link.ts';
import { createBackground, type Jobs, startJobs } from './jobs/index.ts';
import {
  Activity,
  BranchAccess,
  type ClaimTimes,
  type Clock,
  createKernel,
  DefaultBranches,
  type Ids,
  insertAccount,
  type Kernel,
  KeyRing,
  KnownLogs,
  keepPlannerFigures,
  type Module,
  migrateAll,
  NoteBuffer,
  Replica,
  RoomOwners,
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
import { briefing } from './modules/briefing/index.ts';
import { commits } from './modules/commits/index.ts';
import { consolidation } from './modules/consolidation/index.ts';
import { consumers } from './modules/consumers/index.ts';
import { cortex, withoutWorker } from './modules/cortex/index.ts';
import { counts } from './modules/counts/index.ts';
import { entries, withProjectionConsumers } from './modules/entries/index.ts';
import { erasure } from './modules/erasure/index.ts';
import { golden } from './modules/golden/index.ts';
import { graph } from './modules/graph/index.ts';
import { ingestion, useConnectors } from './modules/ingestion/index.ts';
import { keySource, keys } from './modules/keys/index.ts';
import { ledger } from './modules/ledger/index.ts';
import { log } from './modules/log/index.ts';
import { outcomes } from './modules/outcomes/index.ts';
import { profiles } from './modules/profiles/index.ts';
import { recall, withEmbedders } from './modules/recall/index.ts';
import { retention } from './modules/retention/index.ts';
import { search } from './modules/search/index.ts';
import { series } from './modules/series/index.ts';
import { sessions } from './modules/sessions/index.ts';
import { system } from './modules/system/index.ts';
import { text } from './modules/text/index.ts';
import { traces } from './modules/traces/index.ts';
import { transfer } from './modules/transfer/index.ts';
import { KeyLimiter, planBounds, UsageMeter, usage } from './modules/usage/index.ts';
import { rowSecurityRules } from './row-security-rules.ts';
import { VERSION } from './version.ts';

/** The modules of the service itself, without those of other packages. */
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
  recall,
  cortex,
  golden,
  consolidation,
  briefing,
  ingestion,
  erasure,
  log,
  series,
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
  /** Modules of other packages; they come after the service's own. */
  modules?: readonly Module[] | undefined;
  dataDir: string;
  postgresDsn?: string | undefined;
  /** Past a pooler of transactions: for LISTEN, migrations and maintenance. */
  postgresDirectDsn?: string | undefined;
  postgresPool?: number;
  /** Nothing is written: the database is a standby, or is used like one. */
  readOnly?: boolean;
  /** A server that writes: errors name it, and with the internal key it takes notes. */
  primaryUrl?: string | undefined;
  internalKey?: string | undefined;
  replicaWaitMs?: number;
  /** The process will use its whole pool of connections: a pooler that gives fewer is reported at the start. */
  triesPool?: boolean;
  /** Row-level security on PostgreSQL. By default a store that has it keeps it. */
  rowSecurity?: RowSecurity['mode'];
  /** The role that requests run under when row-level security is on. */
  postgresRole?: string | undefined;
  maxValueBytes?: number;
  /** How many entries a filtered list or search looks at before it ends early. */
  maxScannedEntries?: number;
  /** How many bytes of documents a search without an index reads before it ends early. */
  maxScannedBytes?: number;
  /** How many bytes of documents one page may have. */
  maxPageBytes?: number;
  /** How many reads and queries of sessions that recorded nothing an account keeps. */
  maxReaderNotes?: number;
  /** How many bytes of rows that were read are kept in memory, on SQLite. */
  readCache?: CacheLimits;
  sweepSeconds?: number;
  /** How long a server keeps its claim on background work. Tests set it so that they need not wait. */
  claimTimes?: Partial<ClaimTimes>;
  settings?: Partial<Settings>;
  /** When false, reads are neither noted in sessions nor counted. */
  trackReads?: boolean;
  /** The service has many accounts: it counts the usage of each and limits the requests of each key. */
  hosted?: boolean;
  rateLimits?: boolean;
  /** The app closes it. Without one, no webhook has a connector. */
  connectors?: ConnectorHost | undefined;
  clock?: Clock;
  ids?: Ids;
  onError?: (error: unknown) => void;
  onWarning?: (warning: string) => void;
  /** Called once where another version of mem has migrated the store: writes fail from then on. */
  onMigrated?: ((error: StorageError) => void) | undefined;
  /** Wraps the store, for tests that watch its calls or make them fail. */
  wrapDatabase?: (database: Database) => Database;
};

export type App = { kernel: Kernel; jobs: Jobs; connectors: ConnectorHost; close(): Promise<void> };

/** Opens everything but a transport: the migrated store, and the kernel with all modules on top of it. */
export async function openApp(options: AppOptions): Promise<App> {
  const { clock = systemClock, ids = randomIds, onError = () => {}, wrapDatabase = (database) => database } = options;
  const { connectors = NO_CONNECTORS } = options;
  const modules = modulesOf(options);
  refuseCollisions(modules);
  const database = wrapDatabase(await openDatabase(options, modules));
  try {
    const server_id = randomBytes(6).toString('hex');
    const background = createBackground(modules, {
      ...{ database, clock, server_id, onError },
      ...{ sweepSeconds: options.sweepSeconds ?? 60, times: options.claimTimes },
    });
    const replica = options.readOnly ? openReplica(options, database) : undefined;
    const base = {
      ...registryOf(modules),
      database,
      replica,
      clock,
      ids,
      server_id,
      consumers: background.consumers,
      maintenance: background.maintenance,
      version: VERSION,
      activity: new Activity(),
      ...{ branchAccess: new BranchAccess(), defaultBranches: new DefaultBranches() },
      openStreams: new Map<string, number>(),
      modelCalls: new Map<string, number>(),
      onWarning: options.onWarning ?? (() => {}),
      knownLogs: new KnownLogs(database),
      noteBuffer: new NoteBuffer(options.trackReads ?? true),
      settings: { ...SETTINGS, ...options.settings },
      keys: new KeyRing(keySource(database), clock, onError),
      limits: limitsOf(options),
    };
    const migrated = await migrateAll(base, modules);
    if (!replica) {
      database.expectSchema(migrated.own, options.onMigrated ?? (() => {}));
      await keepPlannerFigures(database, base.tables);
      await database.exclusively((tx) => insertAccount(tx, SELF_HOSTED_ACCOUNT, clock.now()));
    }
    const metering = meteringFor(options, { ...base, onError });
    const kernel = createKernel({ ...base, ...metering, ...migrated }, modules, { onError });
    useConnectors(kernel.services, connectors);
    const jobs = await startJobs(kernel, background);
    const close = async () => {
      await jobs.close();
      await kernel.close();
      await connectors.close();
      await kernel.services.limiter?.close();
      await replica?.link?.close();
      await database.close();
    };
    return { kernel, jobs, connectors, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const NO_CONNECTORS: ConnectorHost = { connectors: new Map(), close: async () => {} };

const limitsOf = (options: AppOptions): Services['limits'] => ({
  max_value_bytes: options.maxValueBytes ?? 1024 * 1024,
  max_scanned_entries: options.maxScannedEntries ?? 10_000,
  ...(options.maxReaderNotes === undefined ? {} : { max_reader_notes: options.maxReaderNotes }),
  ...(options.maxScannedBytes === undefined ? {} : { max_scanned_bytes: options.maxScannedBytes }),
  ...(options.maxPageBytes === undefined ? {} : { max_page_bytes: options.maxPageBytes }),
});

/** All modules, with the consumers that the settings ask for. */
function modulesOf({ settings = {}, modules = [] }: AppOptions): readonly Module[] {
  const core = withEmbedders(coreModules, settings);
  return withProjectionConsumers([...(settings.cortex === 'off' ? withoutWorker(core) : core), ...modules]);
}

function openReplica({ primaryUrl, internalKey, replicaWaitMs, onWarning = () => {} }: AppOptions, database: Database) {
  const link =
    primaryUrl === undefined || internalKey === undefined
      ? undefined
      : new HttpPrimaryLink({ url: primaryUrl, internalKey, onWarning });
  return new Replica({ database, primary: primaryUrl, link, waitMs: replicaWaitMs ?? 2_000, onWarning });
}

type MeteringParts = Pick<Services, 'database' | 'clock' | 'settings' | 'replica'> & {
  onError: (error: unknown) => void;
};

function meteringFor({ hosted = false, rateLimits = true }: AppOptions, parts: MeteringParts) {
  if (!hosted) return {};
  const boundsOf = planBounds(parts.settings);
  const roomOwners = new RoomOwners(parts);
  return {
    meter: new UsageMeter(parts),
    boundsOf,
    roomOwners,
    ...(rateLimits ? { limiter: new KeyLimiter(parts) } : {}),
  };
}

const ONE_SERVER =
  'MEM_READ_ONLY is for a standby of PostgreSQL: a folder has no replicas, and its server reads and writes. Set MEM_POSTGRES_DSN, or read a copy made by mem backup';

async function openDatabase(options: AppOptions, modules: readonly Module[]): Promise<Database> {
  const { readOnly = false } = options;
  if (readOnly && options.postgresDsn === undefined) throw new StorageError('misconfigured', new Error(ONE_SERVER));
  if (options.postgresDsn === undefined) return openSqlite(options.dataDir, options.readCache);
  const { onError = () => {}, onWarning = () => {}, triesPool = false } = options;
  const { postgresDsn: dsn, postgresDirectDsn: directDsn, postgresPool: poolSize = 10 } = options;
  const { rowSecurity: mode = 'as found', postgresRole: role } = options;
  const rowSecurity = { mode, role, rules: rowSecurityRules(modules) };
  return openPostgres({ dsn, directDsn, poolSize, triesPool, readOnly, onError, onWarning, rowSecurity });
}

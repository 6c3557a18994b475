import { shapes } from '@mem-service/contract';
import { hostsOfDsn, locateServedMemory, type MemoryLocation, STORE_FOLDER } from '@mem-service/mcp/location';
import * as z from 'zod';
import { isAddressRange, origin, webAddress } from './config-addresses.ts';
import { type ConnectorVariables, connectorProblems, readConnectorVariables } from './config-connectors.ts';
import * as models from './config-models.ts';
import { readPlans, readPrices } from './config-tables.ts';
import { shortKeys, warningsOf } from './config-warnings.ts';
import { ANSWER_LIMITS, type AnswerLimits } from './kernel/answer-limits.ts';
import { SETTINGS, type Settings } from './kernel/settings.ts';
import { readTelemetry, type TelemetryConfig } from './telemetry/settings.ts';
import { VERSION } from './version.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The only file that reads the environment. A bad value stops the start with an error that names the variable. */
export type Config = {
  http: { host: string; port: number; corsOrigins: string[]; localOnly: boolean };
  /** Browsers are shown the dashboard. */
  dashboard: boolean;
  /** How many processes serve the one address. */
  workers: number;
  /** Requests are logged, without anything that callers wrote. */
  logRequests: boolean;
  apiKeys: string[];
  /** The service has many accounts, each with its own keys. */
  hosted: boolean;
  internalKey: string | undefined;
  trustedProxies: string[];
  /** Where a server keeps memory, and why. Commands that use memory look elsewhere too. */
  served: MemoryLocation;
  dataDir: string;
  postgresDsn: string | undefined;
  /** Past a pooler, for connections that keep a session. */
  postgresDirectDsn: string | undefined;
  postgresPool: number;
  /** The database is a standby, or is used like one: nothing is written to it. */
  readOnly: boolean;
  /** The address of a server that takes writes, and the notes of this one. */
  primaryUrl: string | undefined;
  /** How long a read waits for a standby to reach the `seq` that it asks for. */
  replicaWaitMs: number;
  /** Row-level security. `as found`: a store that has it keeps it. */
  rowSecurity: 'on' | 'off' | 'as found';
  /** The role that requests run under when row-level security is on. */
  postgresRole: string | undefined;
  agentId: string;
  maxValueBytes: number;
  maxBodyBytes: number;
  answerLimits: AnswerLimits;
  logLevel: (typeof LOG_LEVELS)[number];
  sweepSeconds: number;
  settings: Settings;
  trackReads: boolean;
  rateLimits: boolean;
  /** Loads the modules of @mem-service/pro when the package is installed. */
  pro: boolean;
  telemetry: TelemetryConfig;
  connectorVariables: ConnectorVariables;
  client: {
    url: string | undefined;
    apiKey: string | undefined;
    internalKey: string | undefined;
    agentId: string | undefined;
  };
  /** Problems to report that do not stop the start. */
  warnings: string[];
};

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number between ${min} and ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

const postgresAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must start with postgres://', abort: true })
  .refine((text) => hostsOfDsn(text) !== undefined, 'is not a valid address');

const variables = {
  MEM_HTTP_HOST: z.string().min(1).default('0.0.0.0'),
  MEM_HTTP_PORT: whole(0, 65535).default(8080),
  MEM_WORKERS: whole(1, 64).default(1),
  MEM_CORS_ORIGINS: list
    .refine((origins) => origins.every(origin), 'must be * or origins such as https://app.example, separated by commas')
    .default(['*']),
  MEM_DASHBOARD: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .transform((text) => text === 'on'),
  MEM_API_KEYS: list
    // An operator who sets it wants keys: a list without any must not admit everybody.
    .refine((keys) => keys.length > 0, 'holds no key: give keys separated by commas, or unset it to require none')
    .refine(
      (keys) => keys.every((key) => /^[\x21-\x7e]{1,512}$/.test(key)),
      'must be keys of up to 512 visible characters, separated by commas',
    )
    .default([]),
  MEM_MODE: z
    .enum(['self-hosted', 'hosted'], 'must be self-hosted or hosted')
    .default('self-hosted')
    .transform((mode) => mode === 'hosted'),
  MEM_INTERNAL_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, 'must have 16 to 512 visible characters')
    .optional(),
  MEM_TRUSTED_PROXIES: list
    .refine(
      (parts) => parts.every(isAddressRange),
      'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    )
    .default([]),
  MEM_DATA_DIR: z.string().min(1).default(STORE_FOLDER),
  MEM_POSTGRES_DSN: postgresAddress.optional(),
  MEM_POSTGRES_DIRECT_DSN: postgresAddress.optional(),
  MEM_POSTGRES_POOL: whole(1, 500).default(10),
  MEM_READ_ONLY: z
    .enum(['on', 'off'], 'must be on or off')
    .default('off')
    .transform((text) => text === 'on'),
  MEM_PRIMARY_URL: webAddress.optional(),
  MEM_REPLICA_WAIT_MS: whole(0, 60_000).default(2_000),
  MEM_ROW_SECURITY: z.enum(['on', 'off'], 'must be on or off').optional(),
  MEM_POSTGRES_APP_ROLE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,50}$/, 'must be a name of small letters, digits and _')
    .optional(),
  MEM_AGENT_ID: shapes.agentId.default('mem-http-server'),
  MEM_MAX_VALUE_BYTES: whole(1, 64 * 1024 * 1024).default(1024 * 1024),
  MEM_MAX_BODY_BYTES: whole(1024, 256 * 1024 * 1024).default(8 * 1024 * 1024),
  MEM_MAX_ANSWER_BYTES: whole(1024 * 1024, 64 * 1024 ** 3).default(ANSWER_LIMITS.inAll),
  MEM_MAX_ACCOUNT_ANSWER_BYTES: whole(1024 * 1024, 64 * 1024 ** 3).default(ANSWER_LIMITS.perAccount),
  MEM_LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  MEM_LOG_REQUESTS: z
    .enum(['on', 'off'], 'must be on or off')
    .default('off')
    .transform((text) => text === 'on'),
  MEM_TTL_SWEEP_SECONDS: whole(1, 86400).default(60),
  MEM_OUTCOME_MODEL: z
    .enum(['evidence', 'multiplicative'], 'must be evidence or multiplicative')
    .default(SETTINGS.outcome_model),
  MEM_DECAY_HALF_LIFE_DAYS: z
    .string()
    .transform(Number)
    .refine((days) => days > 0 && days <= 1_000_000, 'must be a number of days above 0')
    .optional(),
  MEM_TRACE_SIGNING_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  MEM_SECRETS: z.enum(['warn', 'refuse', 'off'], 'must be warn, refuse or off').default(SETTINGS.secrets),
  MEM_EMBEDDER: z.enum(['builtin', 'openai', 'off'], 'must be builtin, openai or off').default(SETTINGS.embedder),
  MEM_EMBEDDER_URL: models.modelAddress.optional(),
  MEM_EMBEDDER_MODEL: models.modelName.optional(),
  MEM_EMBEDDER_KEY: models.modelKey.optional(),
  MEM_EMBEDDER_DIMENSIONS: whole(8, 4_096).optional(),
  MEM_EMBEDDER_BATCH: whole(1, 512).default(64),
  MEM_EMBEDDER_TIMEOUT_MS: whole(10, 60_000).default(1_000),
  MEM_EMBEDDER_BUDGET: whole(1, 1_000_000_000).optional(),
  MEM_RERANKER: z.enum(['off', 'cohere', 'tei'], 'must be off, cohere or tei').default('off'),
  MEM_RERANKER_URL: models.modelAddress.optional(),
  MEM_RERANKER_MODEL: models.modelName.optional(),
  MEM_RERANKER_KEY: models.modelKey.optional(),
  MEM_RERANKER_TOP: whole(1, 100).default(30),
  MEM_RERANKER_TIMEOUT_MS: whole(10, 60_000).default(1_000),
  MEM_JUDGE_URL: models.modelAddress.optional(),
  MEM_JUDGE_MODEL: models.modelNames.optional(),
  MEM_JUDGE_KEY: models.modelKey.optional(),
  MEM_JUDGE_TIMEOUT_MS: whole(100, 300_000).default(30_000),
  MEM_JUDGE_INPUT_PRICE: models.tokenPrice.optional(),
  MEM_JUDGE_OUTPUT_PRICE: models.tokenPrice.optional(),
  MEM_JUDGE_CALLS_PER_DAY: whole(1, 1_000_000_000).default(1_000),
  MEM_JUDGE_USD_PER_DAY: models.dollars.optional(),
  MEM_CORTEX: z.enum(['on', 'off'], 'must be on or off').default(SETTINGS.cortex),
  MEM_SPAN_PAYLOAD_MAX_CHARS: whole(0, 10_000_000).default(SETTINGS.span_payload_max_chars),
  MEM_LLM_PRICE_TABLE: z.string().transform(readPrices).optional(),
  MEM_DELIVERY_DAYS: whole(1, 3650).default(SETTINGS.delivery_days),
  MEM_TRACK_READS: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .transform((text) => text === 'on'),
  MEM_PLANS: z.string().transform(readPlans).optional(),
  MEM_QUOTA_ENFORCEMENT: z.enum(['off', 'block'], 'must be off or block').default(SETTINGS.quota_enforcement),
  MEM_UPGRADE_URL: webAddress.optional(),
  MEM_PLAN_COMPARISON_URL: webAddress.optional(),
  MEM_RATE_LIMITS: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .transform((text) => text === 'on'),
  MEM_PRO: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .transform((text) => text === 'on'),
  MEM_HTTP_URL: webAddress
    .refine((text) => !/\/(api\/v1|mcp)\/*$/.test(text), 'must be given without /api/v1 or /mcp')
    .optional(),
  MEM_API_KEY: z.string().min(1).optional(),
} as const;

/** Names a store that this version does not have. Using another one instead would split the memory. */
const OTHER_STORE = {
  name: 'MEM_S3_BUCKET',
  problem: 'is set, but this version has no bucket store: unset it, and set MEM_DATA_DIR or MEM_POSTGRES_DSN',
};

const DIRECT_WITHOUT_STORE =
  'MEM_POSTGRES_DIRECT_DSN is set without MEM_POSTGRES_DSN, which names the store: set both, or MEM_POSTGRES_DSN alone where no pooler is between';

export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const readEnvironment = (): Environment => process.env;

const environment = z.object(variables);

const settingsOf = (v: z.output<typeof environment>): Settings => ({
  outcome_model: v.MEM_OUTCOME_MODEL,
  half_life_days: v.MEM_DECAY_HALF_LIFE_DAYS ?? null,
  trace_signing_key: v.MEM_TRACE_SIGNING_KEY ?? null,
  secrets: v.MEM_SECRETS,
  embedder: v.MEM_EMBEDDER,
  embedding_server: models.readEmbeddingServer(v),
  reranking_server: models.readRerankingServer(v),
  judging_server: models.readJudgingServer(v),
  cortex: v.MEM_CORTEX,
  span_payload_max_chars: v.MEM_SPAN_PAYLOAD_MAX_CHARS,
  llm_prices: v.MEM_LLM_PRICE_TABLE ?? null,
  delivery_days: v.MEM_DELIVERY_DAYS,
  plans: v.MEM_PLANS ?? null,
  quota_enforcement: v.MEM_QUOTA_ENFORCEMENT,
  upgrade_url: v.MEM_UPGRADE_URL ?? null,
  plan_comparison_url: v.MEM_PLAN_COMPARISON_URL ?? null,
});

export function readConfig(env: Environment = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([name, text]) => name in variables && text !== ''));
  const parsed = environment.safeParse(given, { jitless: true });
  const problems = (parsed.error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}`);
  if (env.MEM_POSTGRES_DIRECT_DSN && !env.MEM_POSTGRES_DSN) problems.push(DIRECT_WITHOUT_STORE);
  problems.push(...models.modelProblems(env), ...connectorProblems(env));
  if (env[OTHER_STORE.name]) problems.push(`${OTHER_STORE.name} ${OTHER_STORE.problem}`);
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems.join('\n'));
  const v = parsed.data;
  const telemetry = readTelemetry(env, VERSION);
  return {
    http: { host: v.MEM_HTTP_HOST, port: v.MEM_HTTP_PORT, corsOrigins: v.MEM_CORS_ORIGINS, localOnly: false },
    dashboard: v.MEM_DASHBOARD,
    workers: v.MEM_WORKERS,
    apiKeys: v.MEM_API_KEYS,
    hosted: v.MEM_MODE,
    internalKey: v.MEM_INTERNAL_KEY,
    trustedProxies: v.MEM_TRUSTED_PROXIES,
    served: locateServedMemory(env, process.cwd()),
    dataDir: v.MEM_DATA_DIR,
    postgresDsn: v.MEM_POSTGRES_DSN,
    postgresDirectDsn: v.MEM_POSTGRES_DIRECT_DSN,
    postgresPool: v.MEM_POSTGRES_POOL,
    readOnly: v.MEM_READ_ONLY,
    primaryUrl: v.MEM_PRIMARY_URL?.replace(/\/+$/, ''),
    replicaWaitMs: v.MEM_REPLICA_WAIT_MS,
    rowSecurity: v.MEM_ROW_SECURITY ?? (v.MEM_MODE ? 'on' : 'as found'),
    postgresRole: v.MEM_POSTGRES_APP_ROLE,
    agentId: v.MEM_AGENT_ID,
    maxValueBytes: v.MEM_MAX_VALUE_BYTES,
    maxBodyBytes: v.MEM_MAX_BODY_BYTES,
    answerLimits: { perAccount: v.MEM_MAX_ACCOUNT_ANSWER_BYTES, inAll: v.MEM_MAX_ANSWER_BYTES },
    logLevel: v.MEM_LOG_LEVEL,
    logRequests: v.MEM_LOG_REQUESTS,
    sweepSeconds: v.MEM_TTL_SWEEP_SECONDS,
    settings: settingsOf(v),
    trackReads: v.MEM_TRACK_READS,
    rateLimits: v.MEM_RATE_LIMITS,
    pro: v.MEM_PRO,
    telemetry,
    connectorVariables: readConnectorVariables(env),
    client: {
      url: v.MEM_HTTP_URL,
      apiKey: v.MEM_API_KEY,
      internalKey: v.MEM_INTERNAL_KEY,
      agentId: env.MEM_AGENT_ID || undefined,
    },
    warnings: [
      ...warningsOf(env, [...Object.keys(variables), OTHER_STORE.name]),
      ...shortKeys(v.MEM_API_KEYS),
      ...telemetry.warnings,
    ],
  };
}

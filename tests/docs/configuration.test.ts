import { expect, test } from 'vitest';
import { type Config, readConfig } from '../../packages/server/src/config.ts';
import { readDoc, tableOf } from './markdown.ts';

/** The defaults of variables that only count beside others. */
const models = readConfig({
  ...{ MEM_EMBEDDER: 'openai', MEM_EMBEDDER_URL: 'http://127.0.0.1:11434', MEM_EMBEDDER_MODEL: 'm' },
  ...{ MEM_RERANKER: 'tei', MEM_RERANKER_URL: 'http://127.0.0.1:8080' },
  ...{ MEM_JUDGE_URL: 'http://127.0.0.1:11434', MEM_JUDGE_MODEL: 'm' },
}).settings;

const DEFAULTS: Record<string, (config: Config) => unknown> = {
  MEM_HTTP_HOST: ({ http }) => http.host,
  MEM_HTTP_PORT: ({ http }) => http.port,
  MEM_WORKERS: ({ workers }) => workers,
  MEM_CORS_ORIGINS: ({ http }) => http.corsOrigins.join(','),
  MEM_DASHBOARD: ({ dashboard }) => (dashboard ? 'on' : 'off'),
  MEM_API_KEYS: ({ apiKeys }) => apiKeys.join(',') || undefined,
  MEM_MODE: ({ hosted }) => (hosted ? 'hosted' : 'self-hosted'),
  MEM_INTERNAL_KEY: ({ internalKey }) => internalKey,
  MEM_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies.join(',') || undefined,
  MEM_DATA_DIR: ({ dataDir }) => dataDir,
  MEM_POSTGRES_DSN: ({ postgresDsn }) => postgresDsn,
  MEM_POSTGRES_POOL: ({ postgresPool }) => postgresPool,
  MEM_READ_ONLY: ({ readOnly }) => (readOnly ? 'on' : 'off'),
  MEM_REPLICA_WAIT_MS: ({ replicaWaitMs }) => replicaWaitMs,
  MEM_ROW_SECURITY: ({ rowSecurity }) => (rowSecurity === 'as found' ? undefined : rowSecurity),
  MEM_POSTGRES_APP_ROLE: ({ postgresRole }) => postgresRole,
  MEM_AGENT_ID: ({ agentId }) => agentId,
  MEM_MAX_VALUE_BYTES: ({ maxValueBytes }) => maxValueBytes,
  MEM_MAX_BODY_BYTES: ({ maxBodyBytes }) => maxBodyBytes,
  MEM_MAX_ANSWER_BYTES: ({ answerLimits }) => answerLimits.inAll,
  MEM_MAX_ACCOUNT_ANSWER_BYTES: ({ answerLimits }) => answerLimits.perAccount,
  MEM_LOG_LEVEL: ({ logLevel }) => logLevel,
  MEM_LOG_REQUESTS: ({ logRequests }) => (logRequests ? 'on' : 'off'),
  MEM_TTL_SWEEP_SECONDS: ({ sweepSeconds }) => sweepSeconds,
  MEM_OUTCOME_MODEL: ({ settings }) => settings.outcome_model,
  MEM_DECAY_HALF_LIFE_DAYS: ({ settings }) => settings.half_life_days,
  MEM_TRACE_SIGNING_KEY: ({ settings }) => settings.trace_signing_key,
  MEM_SECRETS: ({ settings }) => settings.secrets,
  MEM_EMBEDDER: ({ settings }) => settings.embedder,
  MEM_EMBEDDER_BATCH: () => models.embedding_server?.batch,
  MEM_EMBEDDER_TIMEOUT_MS: () => models.embedding_server?.timeout_ms,
  MEM_RERANKER: ({ settings }) => settings.reranking_server?.kind ?? 'off',
  MEM_RERANKER_TOP: () => models.reranking_server?.top,
  MEM_RERANKER_TIMEOUT_MS: () => models.reranking_server?.timeout_ms,
  MEM_JUDGE_TIMEOUT_MS: () => models.judging_server?.timeout_ms,
  MEM_JUDGE_CALLS_PER_DAY: () => models.judging_server?.calls_per_day,
  MEM_CORTEX: ({ settings }) => settings.cortex,
  MEM_SPAN_PAYLOAD_MAX_CHARS: ({ settings }) => settings.span_payload_max_chars,
  MEM_LLM_PRICE_TABLE: ({ settings }) => settings.llm_prices,
  MEM_DELIVERY_DAYS: ({ settings }) => settings.delivery_days,
  MEM_TRACK_READS: ({ trackReads }) => (trackReads ? 'on' : 'off'),
  MEM_PLANS: ({ settings }) => settings.plans,
  MEM_QUOTA_ENFORCEMENT: ({ settings }) => settings.quota_enforcement,
  MEM_UPGRADE_URL: ({ settings }) => settings.upgrade_url,
  MEM_PLAN_COMPARISON_URL: ({ settings }) => settings.plan_comparison_url,
  MEM_RATE_LIMITS: ({ rateLimits }) => (rateLimits ? 'on' : 'off'),
  MEM_PRO: ({ pro }) => (pro ? 'on' : 'off'),
  MEM_HTTP_URL: ({ client }) => client.url,
  MEM_API_KEY: ({ client }) => client.apiKey,
};

test('the configuration table has every variable, with its default', () => {
  const table = tableOf(readDoc('docs/operations.md'), '## Configuration');
  const known = [...readDoc('packages/server/src/config.ts').matchAll(/^ {2}(MEM_[A-Z_]+):/gm)].map(
    (match) => match[1],
  );
  expect(table.map(([name]) => name)).toEqual(known);
  const defaults = readConfig({});
  for (const [name = '', shown] of table)
    expect(`${name} ${shown}`).toBe(`${name} ${DEFAULTS[name]?.(defaults) ?? 'none'}`);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type App, openApp } from '../../packages/server/src/app.ts';
import { type Config, readConfig } from '../../packages/server/src/config.ts';
import { backends, listen, newPlace, type StorePlace, type TestServer } from '../support/app.ts';
import { memCommand, missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { matchesText } from './compare.ts';
import { blocksOf, type MarkdownBlock, readDoc, root, tableOf } from './markdown.ts';

const readme = readDoc('README.md');
const blocks = blocksOf(readme);
const inSection = (section: string): MarkdownBlock[] => blocks.filter((block) => block.section === section);

/** Sections whose blocks are commands and their answers. */
const RUN = ['Five minutes', 'Command line', 'Client library'];

describe.each(backends)('the examples of the README on %s', (backend) => {
  const steps = RUN.flatMap((section) => stepsOf(inSection(section)));
  let place: StorePlace;
  let app: App;
  let server: TestServer;
  let outputs: string[];

  beforeAll(async () => {
    place = await newPlace(backend);
    // The real clock: the examples wait for time to pass.
    app = await openApp(place.options);
    server = await listen(app);
    outputs = await runSteps(steps, { url: server.url, cwd: root });
  }, 120_000);
  afterAll(async () => {
    await server?.close();
    await app?.close();
    await place?.remove();
  });

  it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
    expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
  });
});

test('the commands that are not run name scripts that exist', () => {
  const { scripts } = JSON.parse(readDoc('package.json')) as { scripts: Record<string, string> };
  for (const { text, kind, section, line } of blocks.filter((block) => !RUN.includes(block.section))) {
    if (section === 'Start' && kind === 'text') continue;
    expect(kind, `line ${line}: nothing tests this block`).toBe('console');
    for (const [, name = ''] of text.matchAll(/npm (?:run )?(start|test|(?<=run )\S+)/g))
      expect(scripts).toHaveProperty([name]);
  }
});

test('the first screen is the one in the README', async () => {
  const expected = inSection('Start').find((block) => block.kind === 'text')?.text ?? '';
  const cwd = mkdtempSync(join(tmpdir(), 'mem-docs-'));
  const [node, ...args] = memCommand;
  const child = spawn(node, [...args, 'serve'], { cwd, env: { PATH: process.env.PATH, MEM_HTTP_PORT: '0' } });
  try {
    let screen = '';
    let trouble = '';
    child.stderr.on('data', (chunk) => {
      trouble += chunk;
    });
    for await (const chunk of child.stdout) {
      screen += chunk;
      if (screen.endsWith('\n\n') && screen.includes('open to')) break;
    }
    const onDefaultPort = screen.replaceAll(/localhost:\d+/g, 'localhost:8080').trim();
    expect(matchesText(expected.trim(), onDefaultPort), screen + trouble).toBe(true);
  } finally {
    child.kill('SIGKILL');
    rmSync(cwd, { recursive: true, force: true });
  }
});

const DEFAULTS: Record<string, (config: Config) => unknown> = {
  MEM_HTTP_HOST: ({ http }) => http.host,
  MEM_HTTP_PORT: ({ http }) => http.port,
  MEM_CORS_ORIGINS: ({ http }) => http.corsOrigins.join(','),
  MEM_API_KEYS: ({ apiKeys }) => apiKeys.join(',') || undefined,
  MEM_MODE: ({ hosted }) => (hosted ? 'hosted' : 'self-hosted'),
  MEM_INTERNAL_KEY: ({ internalKey }) => internalKey,
  MEM_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies.join(',') || undefined,
  MEM_DATA_DIR: ({ dataDir }) => dataDir,
  MEM_POSTGRES_DSN: ({ postgresDsn }) => postgresDsn,
  MEM_POSTGRES_POOL: ({ postgresPool }) => postgresPool,
  MEM_ROW_SECURITY: ({ rowSecurity }) => (rowSecurity === 'as found' ? undefined : rowSecurity),
  MEM_POSTGRES_APP_ROLE: ({ postgresRole }) => postgresRole,
  MEM_AGENT_ID: ({ agentId }) => agentId,
  MEM_MAX_VALUE_BYTES: ({ maxValueBytes }) => maxValueBytes,
  MEM_MAX_BODY_BYTES: ({ maxBodyBytes }) => maxBodyBytes,
  MEM_LOG_LEVEL: ({ logLevel }) => logLevel,
  MEM_LOG_REQUESTS: ({ logRequests }) => (logRequests ? 'on' : 'off'),
  MEM_TTL_SWEEP_SECONDS: ({ sweepSeconds }) => sweepSeconds,
  MEM_OUTCOME_MODEL: ({ settings }) => settings.outcome_model,
  MEM_DECAY_HALF_LIFE_DAYS: ({ settings }) => settings.half_life_days,
  MEM_TRACE_SIGNING_KEY: ({ settings }) => settings.trace_signing_key,
  MEM_SPAN_PAYLOAD_MAX_CHARS: ({ settings }) => settings.span_payload_max_chars,
  MEM_LLM_PRICE_TABLE: ({ settings }) => settings.llm_prices,
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
  const table = tableOf(readme, '## Configuration');
  const known = [...readDoc('packages/server/src/config.ts').matchAll(/^ {2}(MEM_[A-Z_]+):/gm)].map(
    (match) => match[1],
  );
  expect(table.map(([name]) => name)).toEqual(known);
  const defaults = readConfig({});
  for (const [name = '', shown] of table)
    expect(`${name} ${shown}`).toBe(`${name} ${DEFAULTS[name]?.(defaults) ?? 'none'}`);
});

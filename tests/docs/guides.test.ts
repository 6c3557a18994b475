import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultCodes, type HttpRoute, type Operation, operations, shapes } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { renderMetrics } from '../../packages/server/src/http/metrics.ts';
import { readTelemetry } from '../../packages/server/src/telemetry/index.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { memCommand, missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc, tableOf } from './markdown.ts';

const api = readDoc('docs/api.md');
const guide = readDoc('docs/operations.md');

describe.each(['docs/api.md', 'docs/opentelemetry.md'])('the examples of %s', (file) => {
  const steps = stepsOf(blocksOf(readDoc(file)).filter(({ kind }) => kind !== 'console'));
  let app: TestApp;
  let server: TestServer;
  let outputs: string[];

  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app);
    outputs = await runSteps(steps, { url: server.url });
  });
  afterAll(async () => {
    await server?.close();
    await app?.close();
  });

  it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
    expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
  });
});

test('docs/api.md lists every error code with its status and title', () => {
  const listed = tableOf(api, '### Codes').map(([code, status, title]) => [code, Number(status), title]);
  expect(listed).toEqual(Object.entries(faultCodes).map(([code, { status, title }]) => [code, status, title]));
});

test('docs/api.md lists every operation with its routes', () => {
  const show = ({ method, path }: HttpRoute) => `${method} ${path}`;
  const expected = Object.entries(operations as Record<string, Operation>).map(([name, { http }]) => [
    name,
    show(http),
    (http.aliases ?? []).map(show).join(', '),
  ]);
  expect(tableOf(api, '## Operations')).toEqual(expected);
});

test('docs/api.md has the limits of the contract', () => {
  const limits = new Map(tableOf(api, '## Limits').map(([what = '', limit = '']) => [what, limit]));
  expect(limits.get('Value')).toContain(`${shapes.MAX_JSON_DEPTH} levels`);
  expect(shapes.limit.parse(undefined)).toBe(100);
  expect(api).toContain('`limit` (1 to 1000, default 100)');
});

test('docs/operations.md lists every metric', async () => {
  const app = await openTestApp('sqlite');
  try {
    await app.call('stats.read', {});
    const names = [...(await renderMetrics(app.kernel)).matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1]);
    expect(tableOf(guide, '## Metrics').map(([name]) => name)).toEqual(names);
  } finally {
    await app.close();
  }
});

test('docs/operations.md lists every variable of OpenTelemetry that is read, and no other', () => {
  const asked = new Set<string>();
  const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const given: Record<string, string> = { [endpoint]: 'http://localhost', OTEL_TRACES_SAMPLER: 'traceidratio' };
  const env = new Proxy(given, {
    get(target, name: string) {
      asked.add(name);
      return target[name];
    },
  });
  readTelemetry(env, '1');
  const general = [...asked].filter((name) => !/_OTLP_TRACES_(?!ENDPOINT)/.test(name));
  expect(
    tableOf(guide, '## OpenTelemetry')
      .map(([name]) => name as string)
      .sort(),
  ).toEqual(general.sort());
});

test('a backup made and restored as docs/operations.md says can be started from', async () => {
  // tests/hosted/rights.test.ts runs the statements for PostgreSQL.
  const steps = stepsOf(blocksOf(guide).filter(({ kind }) => kind !== 'console' && kind !== 'sql'));
  const cwd = mkdtempSync(join(tmpdir(), 'mem-docs-'));
  const place = (folder: string) => ({ options: { dataDir: join(cwd, folder) }, remove: async () => {} });
  try {
    const app = await openTestApp('sqlite', { place: place('.amfs') });
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 'still in the write-ahead log' });
    const program = join(cwd, 'mem');
    writeFileSync(program, `#!/bin/sh\nexec ${(await memCommand()).map((word) => `'${word}'`).join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${cwd}:${process.env.PATH}` };
    const outputs = await runSteps(steps, { url: 'http://localhost:8080', cwd, env });
    expect(outputs.map((output, i) => missingIn(output, steps[i]?.expected))).toEqual(steps.map(() => []));
    await app.close();
    const again = await openTestApp('sqlite', { place: place('restored') });
    expect(await again.call('entries.search', { query: 'ahead' })).toMatchObject({ entries: [{ key: 'k' }] });
    expect(await again.call('entries.verify', {})).toMatchObject({ total_checked: 1, valid: 1 });
    await again.close();
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

import { operationNames } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExamples, type KnownIds, markedInput } from '../contract/table.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

const MARK = 'secretmark';

type ParsedSample = { name: string; labels: Record<string, string>; value: number };

/** Line by line, as the text format 0.0.4 has it. */
function parse(text: string): { samples: ParsedSample[]; types: Map<string, string> } {
  const samples: ParsedSample[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{([^{}]*)\})? (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|NaN|[-+]Inf)$/.exec(line);
    if (help) helped.add(help[1] as string);
    else if (type) {
      expect(types.has(type[1] as string), `${type[1]} is declared once`).toBe(false);
      types.set(type[1] as string, type[2] as string);
    } else {
      expect(sample, `cannot read: ${line}`).not.toBeNull();
      const labels = [...(sample?.[2] ?? '').matchAll(/([a-zA-Z_]\w*)="([^"\\\n]*)"/g)].map((match) => [
        match[1],
        match[2],
      ]);
      samples.push({
        name: sample?.[1] as string,
        labels: Object.fromEntries(labels),
        value: Number(sample?.[3]?.replace('Inf', 'Infinity')),
      });
    }
  }
  for (const name of types.keys()) expect(helped).toContain(name);
  return { samples, types };
}

describe('/metrics', () => {
  let app: TestApp;
  let server: TestServer;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app);
    known = await createExamples(app, { mark: MARK, as: { agent_id: `agent/${MARK}`, session_id: `sess-${MARK}` } });
    for (const name of operationNames)
      await app.call(name, markedInput(name, MARK, known) as never, { agent_id: `agent/${MARK}` }).catch(() => {});
    await send(server.url, { method: 'GET', path: `/api/v1/entries/${MARK}/nothing` });
    await send(server.url, { method: 'POST', path: '/api/v1/entries', body: `{"colour":"${MARK}"}` });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  const read = async () => (await send(server.url, { method: 'GET', path: '/metrics' })).text;

  it('is text that Prometheus reads, each line of it', async () => {
    const { headers, text } = await send(server.url, { method: 'GET', path: '/metrics' });
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { samples, types } = parse(text);
    expect(samples.length).toBeGreaterThan(50);
    for (const { name } of samples) {
      const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
      expect(types.get(family), name).toBeDefined();
      if (types.get(family) === 'counter') expect(name).toMatch(/_total$/);
    }
  });

  it('has histograms that grow and end in all of them', async () => {
    const { samples } = parse(await read());
    for (const operation of operationNames) {
      const buckets = samples.filter(
        (one) => one.name === 'mem_operation_seconds_bucket' && one.labels.operation === operation,
      );
      const counts = buckets.map(({ value }) => value);
      expect(counts, operation).toEqual([...counts].sort((a, b) => a - b));
      expect(buckets.at(-1)?.labels.le).toBe('+Inf');
      const total = samples.find(
        (one) => one.name === 'mem_operation_seconds_count' && one.labels.operation === operation,
      );
      expect(total?.value).toBe(counts.at(-1));
    }
  });

  it('counts calls by operation and result, and ops by their price', async () => {
    const value = (samples: ParsedSample[], name: string, labels: object = {}) =>
      samples.find(
        (one) => one.name === name && Object.entries(labels).every(([label, text]) => one.labels[label] === text),
      )?.value ?? 0;
    await app.kernel.services.noteBuffer.flushAll();
    const before = parse(await read()).samples;
    await app.call('entries.write', { entity_path: 'metrics', key: 'k', value: 1 });
    // Before the reads, which are noted by a write of their own.
    const written = parse(await read()).samples;
    await app.call('entries.read', { entity_path: 'metrics', key: 'k' });
    await app.call('entries.read', { entity_path: 'metrics', key: 'none' }).catch(() => {});
    const after = parse(await read()).samples;
    const moved = (name: string, labels: object = {}) => value(after, name, labels) - value(before, name, labels);
    expect(moved('mem_operations_total', { operation: 'entries.write', result: 'ok' })).toBe(1);
    expect(moved('mem_operations_total', { operation: 'entries.read', result: 'ok' })).toBe(1);
    expect(moved('mem_operations_total', { operation: 'entries.read', result: 'not_found' })).toBe(1);
    expect(moved('mem_ops_charged_total')).toBe(4);
    // Beside it there may be writes of what follows the log.
    for (const name of ['mem_commit_writes_total', 'mem_commit_batches_total'])
      expect(value(written, name) - value(before, name)).toBeGreaterThanOrEqual(1);
  });

  it('holds nothing that anybody wrote', async () => {
    const text = await read();
    for (const word of [MARK, 'checkout', 'colour', 'agent/', 'sess-']) expect(text).not.toContain(word);
  });
});

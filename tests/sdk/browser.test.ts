import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readDoc } from '../docs/markdown.ts';
import { useServer } from '../support/app.ts';
import { bundle, program } from './page.ts';

/** What pages have, and nothing that only Node has. */
const page = () => ({
  AbortController,
  AbortSignal,
  crypto,
  fetch,
  Headers,
  performance,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  console,
  setTimeout,
});

describe('the client in a page', () => {
  const server = useServer('sqlite');

  it('works with what pages have, against the service', async () => {
    const { text, inputs } = await bundle(program);
    expect(inputs.filter((input) => /^node:|openai\/(?!\.)|anthropic-ai/.test(input))).toEqual([]);
    const context = createContext(page());
    runInContext(text, context);
    expect(runInContext('typeof process + typeof require + typeof Buffer', context)).toBe('undefined'.repeat(3));
    const run = runInContext('run', context) as (options: { url: string }) => Promise<{ traceId: string }>;
    const result = await run({ url: server.url });
    expect(result).toMatchObject({ keys: ['k', 'page'], refused: true, follows: false });
    const trace = await server.app.call('traces.read', { trace_id: result.traceId }, { agent_id: 'agent/page' });
    const spans = trace.session_metadata.spans.map(({ name, parent_span_id }) => [name, parent_span_id !== null]);
    // Nothing follows awaits here, so that only what is made from a span is below it.
    expect(new Map(spans as [string, boolean][])).toEqual(
      new Map([
        ['task', false],
        ['step', true],
        ['chat m', true],
        ['chat n', false],
      ]),
    );
    expect(trace).toMatchObject({ causal_entries: [{ key: 'k' }], total_llm_calls: 2 });
  });

  it.each([
    ['@mem-service/sdk', /about (\d+) kB, (\d+) kB\s+compressed; each/],
    ['@mem-service/sdk/browser', /smaller still, about (\d+) kB, (\d+) kB\s+compressed/],
  ])('%s is as large as its guide says, and brings no schemas', async (entry, shown) => {
    const { text, inputs } = await bundle(`import { createClient } from '${entry}'; globalThis.made = createClient;`);
    expect(inputs.filter((input) => /zod|contract\/src\/(operations\/|shapes)/.test(input))).toEqual([]);
    expect(text).not.toMatch(/\bnew Function\b|\beval\(/);
    const sizes = [Buffer.byteLength(text), gzipSync(text, { level: 9 }).length].map((bytes) =>
      Math.round(bytes / 1000),
    );
    const [, ...documented] = shown.exec(readDoc('docs/sdk.md')) ?? [];
    // Each operation adds a little: the limit only makes growth noticeable.
    expect(sizes.every((kB, i) => Math.abs(kB - Number(documented[i])) <= kB * 0.1) ? documented : sizes).toEqual(
      documented,
    );
  });
});

import { gzipSync } from 'node:zlib';
import { operations } from '../../packages/contract/src/index.ts';
import { formedValue, forms } from './hold-forms.mjs';
import { largestInput } from './hold-inputs.mjs';

const BODY_BYTES = 8 * 1024 * 1024 - 4096;
const otlp = 'sessions.ingest_otlp';

const attribute = (key, stringValue) => ({ key, value: { stringValue } });
const hex = (n, chars) => (n + 1).toString(16).padStart(chars, '0');

/** Spans of one model call each, as many as fit. */
const spans = (count, attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'bench')] },
      scopeSpans: [
        {
          spans: Array.from({ length: count }, (_, i) => ({
            traceId: hex(i >> 6, 32),
            spanId: hex(i, 16),
            name: 'chat',
            startTimeUnixNano: '1767225600000000000',
            endTimeUnixNano: '1767225601500000000',
            attributes: [attribute('session.id', 'holds'), attribute('gen_ai.operation.name', 'chat'), ...attributes],
          })),
        },
      ],
    },
  ],
});

/** Bodies of exporters, packed and not, and calls of tools over HTTP. */
export function* packedCases({ only = '', form = '' }) {
  const gzip = { 'content-encoding': 'gzip' };
  const bodies = {
    'spans of many fields': () =>
      spans(
        400,
        Array.from({ length: 15 }, (_, i) => attribute(`a.${i}`, 'password=abc def')),
      ),
    'many spans': () => spans(20_000, []),
    'empty spans': () => ({
      resourceSpans: [{ scopeSpans: [{ spans: formedValue(forms['empty objects'], BODY_BYTES) }] }],
    }),
    'large texts': () => spans(40, [attribute('gen_ai.prompt', forms['near secrets'].text(180_000))]),
    'empty objects': () => ({ resourceSpans: formedValue(forms['empty objects'], BODY_BYTES) }),
  };
  if (otlp.includes(only))
    for (const [what, body] of Object.entries(bodies))
      for (const packed of [false, true]) {
        const request = () => {
          const text = JSON.stringify(body());
          const { method, path } = operations[otlp].http;
          return packed ? { method, path, body: gzipSync(text), headers: gzip } : { method, path, body: text };
        };
        yield { name: otlp, what: packed ? `${what}, in gzip` : what, request };
      }
  if ('mcp'.includes(only)) yield* toolCases(form);
}

function* toolCases(wanted) {
  const headers = { accept: 'application/json, text/event-stream' };
  const call = (name, input) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const post = (body) => ({ method: 'POST', path: '/mcp', body, headers });
  for (const [label, form] of Object.entries(forms).filter(([label]) => label.includes(wanted))) {
    const value = () => formedValue(form, 1024 * 1024 - 64);
    yield {
      name: 'mcp',
      what: `mem_write, ${label}`,
      request: () => post(call('mem_write', { entity_path: 'holds/mcp', key: 'k', value: value() })),
    };
    const writes = () =>
      largestInput('commits.create', { form, whole: false, bytes: BODY_BYTES - 1000, valueBytes: 1024 * 1024 - 64 });
    yield { name: 'mcp', what: `mem_commit_batch, ${label}`, request: () => post(call('mem_commit_batch', writes())) };
    yield { name: 'mcp', what: `body of ${label}`, request: () => post(JSON.stringify(formedValue(form, BODY_BYTES))) };
  }
}

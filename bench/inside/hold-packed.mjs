import { gzipSync } from 'node:zlib';
import { operations } from '../../packages/contract/src/index.ts';
import { encodeMessage, exportRequest } from '../../packages/server/src/otlp/index.ts';
import { BODY_BYTES, requestFor, VALUE_BYTES } from './hold-cases.mjs';
import { formedValue, forms } from './hold-forms.mjs';
import { largestInput } from './hold-inputs.mjs';

const otlp = 'sessions.ingest_otlp';

const attribute = (key, stringValue) => ({ key, value: { stringValue } });
const hex = (n, chars) => (n + 1).toString(16).padStart(chars, '0');

/** Spans of one model call each. */
const spans = (count, attributes, { session = 'holds', first = 0 } = {}) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'bench')] },
      scopeSpans: [
        {
          spans: Array.from({ length: count }, (_, i) => ({
            traceId: hex((first + i) >> 6, 32),
            spanId: hex(first + i, 16),
            name: 'chat',
            startTimeUnixNano: '1767225600000000000',
            endTimeUnixNano: '1767225601500000000',
            attributes: [attribute('session.id', session), attribute('gen_ai.operation.name', 'chat'), ...attributes],
          })),
        },
      ],
    },
  ],
});

/** Spans of a session, each with a text. */
export const otlpSpans = (count, { session, first, text }) =>
  spans(count, [attribute('gen_ai.prompt', text)], { session, first });

const many = (count, text) => Array.from({ length: count }, (_, i) => attribute(`a.${i}`, text));

/** Bodies of exporters; protobuf has a limit of its own, and no empty spans that JSON could not have. */
const SPANS = {
  'spans of many fields': () => spans(400, many(15, 'password=abc def')),
  'as many spans of ordinary size as fit': () => spans(2500, many(12, 'some text of an ordinary attribute')),
  'many spans': () => spans(20_000, []),
  'most spans': () => spans(9000, []),
  'large texts': () => spans(40, [attribute('gen_ai.prompt', forms['near secrets'].text(180_000))]),
  'one span': () => spans(1, many(10_000, forms['near secrets'].text(700))),
};
const EMPTY = {
  'empty spans': () => ({
    resourceSpans: [{ scopeSpans: [{ spans: formedValue(forms['empty objects'], BODY_BYTES) }] }],
  }),
  'empty objects': () => ({ resourceSpans: formedValue(forms['empty objects'], BODY_BYTES) }),
};

/** Bodies of exporters, packed and not, calls of tools over HTTP, and requests that name a key for their retries. */
export function* packedCases({ only = '', form = '' }) {
  if (otlp.includes(only)) yield* otlpCases();
  if ('mcp'.includes(only)) yield* toolCases(form);
  yield* keyedCases(only, form);
}

function* otlpCases() {
  const { method, path } = operations[otlp].http;
  const asJson = (body) => ({ body: JSON.stringify(body), type: 'application/json' });
  const asProtobuf = (body) => ({ body: encodeMessage(exportRequest, body), type: 'application/x-protobuf' });
  for (const [label, encode] of Object.entries({ JSON: asJson, protobuf: asProtobuf }))
    for (const [what, make] of Object.entries(label === 'JSON' ? { ...SPANS, ...EMPTY } : SPANS))
      for (const packed of [false, true]) {
        const request = () => {
          const { body, type } = encode(make());
          const headers = { 'content-type': type, ...(packed ? { 'content-encoding': 'gzip' } : {}) };
          return { method, path, body: packed ? gzipSync(body) : body, headers };
        };
        yield { name: otlp, what: `${what}, ${label}${packed ? ' in gzip' : ''}`, request };
      }
}

/** Operations whose bodies may be large: their hash is made and their answer kept. */
const KEYED = [
  'entries.write',
  'commits.create',
  'outcomes.commit',
  'traces.create',
  'entries.import',
  'sessions.record_span',
];
let keys = 0;

function* keyedCases(only, wanted) {
  for (const name of KEYED.filter((name) => name.includes(only)))
    for (const label of ['prose', 'many names', 'many texts', 'empty objects'].filter((label) =>
      label.includes(wanted),
    ))
      yield {
        name,
        what: `with an Idempotency-Key, ${label}`,
        isShrunk: true,
        request: (part = 1) => {
          const plan = { form: forms[label], whole: true, bytes: BODY_BYTES * part, valueBytes: VALUE_BYTES * part };
          const headers = { 'idempotency-key': `holds-${Date.now()}-${keys++}` };
          return { ...requestFor(name, largestInput(name, plan)), headers };
        },
      };
}

function* toolCases(wanted) {
  const headers = { accept: 'application/json, text/event-stream' };
  const call = (name, input) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const post = (body) => ({ method: 'POST', path: '/mcp', body, headers });
  for (const [label, form] of Object.entries(forms).filter(([label]) => label.includes(wanted))) {
    const value = () => formedValue(form, VALUE_BYTES, 1);
    yield {
      name: 'mcp',
      what: `mem_write, ${label}`,
      request: () => post(call('mem_write', { entity_path: 'holds/mcp', key: 'k', value: value() })),
    };
    const writes = () =>
      largestInput('commits.create', { form, whole: false, bytes: BODY_BYTES - 1000, valueBytes: VALUE_BYTES });
    yield { name: 'mcp', what: `mem_commit_batch, ${label}`, request: () => post(call('mem_commit_batch', writes())) };
    yield { name: 'mcp', what: `body of ${label}`, request: () => post(JSON.stringify(formedValue(form, BODY_BYTES))) };
  }
}

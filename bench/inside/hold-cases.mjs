import { operationNames, operations } from '../../packages/contract/src/index.ts';
import { formedValue, forms } from './hold-forms.mjs';
import { largestInput } from './hold-inputs.mjs';

const BODY_BYTES = 8 * 1024 * 1024 - 4096;
const VALUE_BYTES = 1024 * 1024 - 64;

/** What a read is asked for, where the store that the writes before it left has more to give than the example. */
const READS = {
  'entries.read': { entity_path: 'holds/seed', key: 'large-0' },
  'entries.history': { entity_path: 'holds/seed', key: 'large-0', limit: 1000 },
  'entries.diff': { entity_path: 'holds/seed', key: 'large-0', from_version: 1, to_version: 2 },
  'entries.confidence': { entity_path: 'holds/seed', key: 'large-0' },
  'entries.list': { limit: 1000 },
  'entries.restore': { entity_path: 'holds/seed', key: 'large-0', version: 1 },
  'entries.delete': { entity_path: 'holds/seed', key: 'large-7' },
  'entries.search': { query: 'retry payments checkout OR überlastung "was changed"', limit: 1000 },
  'entries.aggregate': { entity_path: 'holds/**', function: 'sum', field: 'k1', group_by: 'k2', row_path: 'rows' },
  'traces.list': { limit: 1000, query: 'retry payments' },
};

const isBody = (name) => !['GET', 'DELETE'].includes(operations[name].http.method);
/** What ends the store or the account is measured last. */
const LAST = ['agents.erase', 'entries.erase', 'accounts.delete', 'transfer.finish', 'transfer.discard'];
const weight = (name) => (LAST.includes(name) ? 3 : operations[name].effect === 'write' ? 1 : 2);

function* inputsOf(name, wanted) {
  const operation = operations[name];
  yield { what: 'example', input: operation.example(0) };
  if (READS[name]) yield { what: 'over large values', input: READS[name] };
  if (!isBody(name)) {
    yield { what: 'largest page', input: { ...operation.example(0), ...limitOf(name) } };
    return;
  }
  for (const [label, form] of Object.entries(forms).filter(([label]) => wanted(label)))
    for (const whole of [false, true]) {
      const input = () => largestInput(name, { form, whole, loose: whole, bytes: BODY_BYTES, valueBytes: VALUE_BYTES });
      yield { what: `${whole ? 'all fields' : 'most items'}, ${label}`, input };
    }
  yield* hostileInputs(name, wanted);
}

const limitOf = (name) => ('limit' in operations[name].input.shape ? { limit: 1000 } : {});

/** Bodies that the schema refuses, or that hold far more than it allows. */
function* hostileInputs(name, wanted) {
  const { shape } = operations[name].input;
  const example = operations[name].example(0);
  for (const label of ['many names', 'empty objects', 'short items'].filter(wanted)) {
    const value = () => formedValue(forms[label], BODY_BYTES);
    if (label === 'many names') yield { what: 'unknown fields', input: () => ({ ...example, ...value() }) };
    const field = Object.keys(shape).findLast((one) => !operations[name].http.path.includes(`{${one}}`));
    if (field === undefined) continue;
    yield { what: `${field} of ${label}`, input: () => ({ ...example, [field]: value() }) };
  }
}

/** Every operation of the table, each with its largest and its most costly inputs. */
export function* casesOf({ only = '', form = '' }) {
  const names = operationNames
    .filter((name) => name.includes(only) && !operations[name].stream)
    .sort((a, b) => weight(a) - weight(b));
  for (const name of names)
    for (const one of inputsOf(name, (label) => label.includes(form)))
      yield {
        name,
        what: one.what,
        request: () => requestFor(name, typeof one.input === 'function' ? one.input() : one.input),
      };
}

/** Splits an input into path, query and body as the routes do. */
function requestFor(name, input) {
  const { method, path } = operations[name].http;
  const rest = { ...input };
  const url = path.replace(/\{(\w+)\}/g, (_, field) => {
    const value = rest[field];
    delete rest[field];
    return String(value).split('/').map(encodeURIComponent).join('/');
  });
  if (isBody(name)) return { method, path: url, body: JSON.stringify(rest) };
  const query = new URLSearchParams(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([k, v]) => [k, String(v)]),
  );
  return { method, path: query.size === 0 ? url : `${url}?${query}` };
}

import { operationNames, operations } from '../../packages/contract/src/index.ts';
import { formedValue, forms } from './hold-forms.mjs';
import { largestInput } from './hold-inputs.mjs';

export const BODY_BYTES = 8 * 1024 * 1024 - 4096;
export const VALUE_BYTES = 1024 * 1024 - 4096;

export const isBody = (name) => !['GET', 'DELETE'].includes(operations[name].http.method);
/** What ends the store or the account is measured last. */
const LAST = ['keys.revoke', 'agents.erase', 'entries.erase', 'accounts.delete', 'transfer.finish', 'transfer.discard'];
const weight = (name) => (LAST.includes(name) ? 3 : operations[name].effect === 'read' ? 2 : 1);

/** A case whose body a limit refuses is asked for again with half as much, unless it is meant to be refused. */
function* inputsOf(name, wanted) {
  const operation = operations[name];
  yield { what: 'example', input: () => operation.example(0) };
  if (!isBody(name)) {
    yield { what: 'largest page', input: () => ({ ...operation.example(0), ...limitOf(name) }) };
    return;
  }
  for (const [label, form] of Object.entries(forms).filter(([label]) => wanted(label)))
    for (const whole of [false, true]) {
      const input = (part) =>
        largestInput(name, { form, whole, bytes: BODY_BYTES * part, valueBytes: Math.floor(VALUE_BYTES * part) });
      yield { what: `${whole ? 'all fields' : 'most items'}, ${label}`, input, isShrunk: true };
    }
  for (const { what, body } of hostileBodies(name, wanted)) yield { what, body, input: () => operation.example(0) };
}

export const limitOf = (name) => ('limit' in operations[name].input.shape ? { limit: mostOf(name) } : {});
const mostOf = (name) => [100_000, 10_000, 1000].find((limit) => accepts(name, limit)) ?? 100;
const accepts = (name, limit) => operations[name].input.safeParse({ ...operations[name].example(0), limit }).success;

/** The texts of values that no body may hold; they take long to make. */
const hostileTexts = new Map();
function hostileText(label) {
  if (!hostileTexts.has(label)) hostileTexts.set(label, JSON.stringify(formedValue(forms[label], BODY_BYTES)));
  return hostileTexts.get(label);
}
const joined = (object, members) => `{${[JSON.stringify(object).slice(1, -1), members].filter(Boolean).join()}}`;

/** Bodies that the schema refuses, or that hold far more than it allows. */
function* hostileBodies(name, wanted) {
  const { shape } = operations[name].input;
  const fields = Object.keys(shape).filter((one) => !operations[name].http.path.includes(`{${one}}`));
  for (const label of ['many names', 'empty objects', 'short items'].filter(wanted)) {
    if (label === 'many names')
      yield { what: 'unknown fields', body: (object) => joined(object, hostileText(label).slice(1, -1)) };
    const field = fields.at(-1);
    if (field === undefined) continue;
    const body = ({ [field]: _, ...rest }) => joined(rest, `${JSON.stringify(field)}:${hostileText(label)}`);
    yield { what: `${field} of ${label}`, body };
  }
}

/** Every operation of the table, each with its largest and its most costly inputs. */
export function* casesOf({ only = '', form = '' }) {
  const names = operationNames
    .filter((name) => name.includes(only) && !operations[name].stream)
    .sort((a, b) => weight(a) - weight(b));
  for (const name of names)
    for (const { what, input, body, isShrunk } of inputsOf(name, (label) => label.includes(form)))
      yield { name, what, isShrunk, request: (part = 1) => requestFor(name, input(isShrunk ? part : 1), body) };
}

/** Splits an input into path, query and body as the routes do. */
export function requestFor(name, input, toBody = JSON.stringify) {
  const { method, path } = operations[name].http;
  const rest = { ...input };
  const url = path.replace(/\{(\w+)\}/g, (_, field) => {
    const value = rest[field];
    delete rest[field];
    return String(value).split('/').map(encodeURIComponent).join('/');
  });
  const control = operations[name].effect === 'control';
  if (isBody(name)) return { method, path: url, body: toBody(rest), control };
  const query = new URLSearchParams(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([k, v]) => [k, String(v)]),
  );
  return { method, path: query.size === 0 ? url : `${url}?${query}`, control };
}

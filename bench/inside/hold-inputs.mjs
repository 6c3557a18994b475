// biome-ignore lint/correctness/noUndeclaredDependencies: the service's own
import * as z from 'zod';
import { operations } from '../../packages/contract/src/index.ts';
import { formedText, formedValue } from './hold-forms.mjs';

/** Each input names other entries than those before it, so that it is written again. */
let runs = 0;

/** Slots that take any text or value get an equal share of what the fixed fields leave. */
class Builder {
  #defs;
  #free = 0;
  #n = 0;
  #part = 1;
  constructor(schema, plan) {
    this.#defs = schema.$defs ?? {};
    this.schema = schema;
    this.plan = plan;
  }

  /** `part` is the share of one slot in the values that the whole may have. */
  build(share, part = 1) {
    this.#free = 0;
    this.#n = 0;
    this.#part = part;
    const input = this.#of(this.schema, share, '');
    return { input, free: this.#free };
  }

  #of(given, share, place) {
    const name = place.split('.').at(-1);
    const schema = given.$ref ? { ...this.#defs[given.$ref.split('/').at(-1)], ...given, $ref: undefined } : given;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const any = schema.anyOf ?? schema.oneOf;
    if (any) return this.#of(any.find(({ type }) => type === 'object') ?? any[0], share, place);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'object':
        return this.#object(schema, share, place);
      case 'array':
        return this.#array(schema, share, place);
      case 'string':
        return this.#string(schema, share, place);
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? 7, name === 'limit' || name === 'depth' ? 1e6 : 7);
      case 'boolean':
        return schema.default ?? (name === 'success' || name === 'shared');
      case 'null':
        return null;
      default:
        this.#free++;
        return formedValue(this.plan.form, share, this.#part);
    }
  }

  #object(schema, share, place) {
    const all = Object.entries(schema.properties ?? {}).map(([name, one]) => [
      name,
      one,
      place ? `${place}.${name}` : name,
    ]);
    const required = new Set(schema.required ?? []);
    const { whole, without } = this.plan;
    const wanted = all.filter(
      ([name, , at]) => required.has(name) || (whole && !ALWAYS_WITHOUT.has(name) && !without.has(at)),
    );
    const object = Object.fromEntries(wanted.map(([name, one, at]) => [name, this.#of(one, share, at)]));
    const isLoose = whole && typeof schema.additionalProperties === 'object' && !without.has(`${place}.more`);
    if (all.length === 0 || isLoose) {
      this.#free++;
      object.more = formedValue(this.plan.form, share, this.#part);
    }
    return object;
  }

  #array(schema, share, place) {
    const most = Math.max(schema.minItems ?? 1, Math.floor((schema.maxItems ?? 1000) * this.plan.scale));
    return Array.from({ length: Math.max(1, most) }, () => this.#of(schema.items ?? {}, share, place));
  }

  #string(schema, share, place) {
    const name = place.split('.').at(-1);
    if (schema.format === 'date-time' || /_at$|^since$|^until$/.test(name)) return '2030-01-31T12:00:00.000Z';
    const example = schema.examples?.[0];
    if (name === 'branch') return 'main';
    if (name === 'query') return 'retry payments';
    if (name === 'entity_path') return `holds/${runs}/path-${this.#n++}`;
    if (name === 'key') return `key-${this.#n++}-${runs}`;
    if (name === 'cursor') return undefined;
    if (typeof example === 'string' && name !== 'source_id') return example;
    if (schema.pattern !== undefined || this.plan.short.has(place)) return textOf(this.plan.form, 60) || 'a';
    if (schema.maxLength !== undefined) return textOf(this.plan.form, schema.maxLength) || 'a';
    this.#free++;
    return formedText(this.plan.form, share, this.#part) || 'a';
  }
}

/** Of a form, up to so many characters: the same texts are needed many times. */
const texts = new Map();
function textOf(form, chars) {
  const known = texts.get(form) ?? new Map();
  texts.set(form, known);
  if (!known.has(chars))
    known.set(
      chars,
      formedText(form, chars, 1)
        .slice(0, chars)
        .replace(/[\uD800-\uDBFF]$/, ''),
    );
  return known.get(chars);
}

/** These exclude others, or would end what is measured. */
const ALWAYS_WITHOUT = new Set([
  'ttl_seconds',
  'ttl_at',
  'if_version',
  'if_exists',
  'if_unchanged',
  'dry_run',
  'cursor',
  'offset',
  'account_id',
]);
const size = (input) => Buffer.byteLength(JSON.stringify(input));
/** Room for text that the schema allows, but that the rest of a body leaves no room for. */
const FULL = 0.9;

/** Shortens, and then leaves out, what the schema refuses as it was made here. Returns whether it takes the rest. */
function adapt(name, plan, input) {
  const { error } = operations[name].input.safeParse(input);
  if (!error) return true;
  const places = new Set(error.issues.map(({ path }) => path.filter((step) => typeof step === 'string').join('.')));
  const before = plan.without.size + plan.short.size;
  for (const place of places) (plan.short.has(place) ? plan.without : plan.short).add(place);
  return plan.without.size + plan.short.size === before;
}

/** The largest input that the schema of an operation takes within the bytes of a body. */
export function largestInput(name, { form, whole, bytes, valueBytes = Number.POSITIVE_INFINITY }) {
  const schema = z.toJSONSchema(operations[name].input, { io: 'input', unrepresentable: 'any' });
  runs++;
  const plan = { form, whole, without: new Set(), short: new Set() };
  for (const share of [8, valueBytes])
    for (let i = 0; i < 20; i++) {
      const { input } = new Builder(schema, { ...plan, scale: 0 }).build(Math.min(share, bytes), 0.001);
      if (adapt(name, plan, input)) break;
    }
  const builderOf = (scale) => new Builder(schema, { ...plan, scale });
  let scale = 1 / 1024;
  while (scale < 1 && size(builderOf(scale * 2).build(0).input) <= bytes * FULL) scale *= 2;
  const builder = builderOf(scale);
  const { input, free } = builder.build(0);
  if (free === 0) return input;
  let share = Math.min(valueBytes, Math.floor((bytes - size(input)) / free) - 8);
  for (;;) {
    const { input } = builder.build(share, 1 / free);
    if (size(input) <= bytes || share < 2) return input;
    share = Math.floor(share * 0.8);
  }
}

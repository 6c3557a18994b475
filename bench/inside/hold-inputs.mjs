// biome-ignore lint/correctness/noUndeclaredDependencies: the service's own
import * as z from 'zod';
import { operations } from '../../packages/contract/src/index.ts';
import { formedText, formedValue } from './hold-forms.mjs';

/** Slots that take any text or value get an equal share of what the fixed fields leave. */
class Builder {
  #defs;
  #free = 0;
  #n = 0;
  constructor(schema, plan) {
    this.#defs = schema.$defs ?? {};
    this.schema = schema;
    this.plan = plan;
  }

  build(share) {
    this.#free = 0;
    this.#n = 0;
    const input = this.#of(this.schema, share, '');
    return { input, free: this.#free };
  }

  #of(given, share, name) {
    const schema = given.$ref ? { ...this.#defs[given.$ref.split('/').at(-1)], ...given, $ref: undefined } : given;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const any = schema.anyOf ?? schema.oneOf;
    if (any) return this.#of(any.find(({ type }) => type === 'object') ?? any[0], share, name);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'object':
        return this.#object(schema, share);
      case 'array':
        return this.#array(schema, share, name);
      case 'string':
        return this.#string(schema, share, name);
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? 7, name === 'limit' || name === 'depth' ? 1e6 : 7);
      case 'boolean':
        return schema.default ?? name === 'success';
      case 'null':
        return null;
      default:
        this.#free++;
        return formedValue(this.plan.form, share);
    }
  }

  #object(schema, share) {
    const all = Object.entries(schema.properties ?? {});
    const required = new Set(schema.required ?? []);
    const wanted = all.filter(([name]) => required.has(name) || (this.plan.whole && !this.plan.without.has(name)));
    const object = Object.fromEntries(wanted.map(([name, one]) => [name, this.#of(one, share, name)]));
    if (all.length === 0 || (this.plan.loose && typeof schema.additionalProperties === 'object')) {
      this.#free++;
      object.more = formedValue(this.plan.form, share);
    }
    return object;
  }

  #array(schema, share, name) {
    const most = Math.max(schema.minItems ?? 1, Math.floor((schema.maxItems ?? 1000) * this.plan.scale));
    return Array.from({ length: Math.max(1, most) }, () => this.#of(schema.items ?? {}, share, name));
  }

  #string(schema, share, name) {
    if (schema.format === 'date-time' || /_at$|^since$|^until$/.test(name)) return '2030-01-31T12:00:00.000Z';
    const example = schema.examples?.[0];
    if (name === 'branch') return 'main';
    if (name === 'query') return 'retry payments';
    if (name === 'entity_path') return `holds/path-${this.#n++}`;
    if (name === 'key') return `key-${this.#n++}`;
    if (name === 'cursor') return undefined;
    if (typeof example === 'string' && name !== 'source_id') return example;
    if (schema.maxLength !== undefined)
      return formedText(this.plan.form, schema.maxLength).slice(0, schema.maxLength) || 'a';
    this.#free++;
    return formedText(this.plan.form, share) || 'a';
  }
}

/** These exclude others, or would end what is measured. */
const WITHOUT = new Set([
  'ttl_seconds',
  'ttl_at',
  'if_version',
  'if_exists',
  'if_unchanged',
  'dry_run',
  'cursor',
  'offset',
]);
const size = (input) => Buffer.byteLength(JSON.stringify(input));

/** The largest input that the schema of an operation takes within the bytes of a body. */
export function largestInput(name, { form, whole, loose = false, bytes, valueBytes = Number.POSITIVE_INFINITY }) {
  const schema = z.toJSONSchema(operations[name].input, { io: 'input', unrepresentable: 'any' });
  for (let scale = 1; ; scale /= 2) {
    const builder = new Builder(schema, { form, whole, loose, scale, without: WITHOUT });
    const { input, free } = builder.build(0);
    const fixed = size(input);
    if (fixed > bytes * 0.9 && scale > 1e-6) continue;
    if (free === 0) return input;
    let share = Math.min(valueBytes, Math.floor((bytes - fixed) / free) - 8);
    for (;;) {
      const { input } = builder.build(share);
      if (size(input) <= bytes || share < 2) return input;
      share = Math.floor(share * 0.8);
    }
  }
}

import { listOf, objectOf, textOf } from '../members.ts';
import { cutText, ITEM_CHARACTERS } from '../text.ts';

const MAX_FIELDS = 50;
const MAX_VALUES = 20;

/** The values of custom fields by name, and those that are text: they may name other things. */
export function customFields(fields: unknown): { value: { custom_fields?: object }; texts: string[] } {
  const values = listOf(fields)
    .slice(0, MAX_FIELDS)
    .map(objectOf)
    .flatMap(({ name, display_name, value }) => {
      const label = textOf(display_name) ?? textOf(name);
      return label === undefined ? [] : [[cutText(label, 100), plainValue(value)] as const];
    });
  const texts = values.flatMap(([, value]) => value).filter((value) => typeof value === 'string');
  return { value: values.length > 0 ? { custom_fields: Object.fromEntries(values) } : {}, texts };
}

type Plain = string | number | boolean | null;

function plainValue(value: unknown): Plain | Plain[] {
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map(plainOf);
  return plainOf(value);
}

function plainOf(value: unknown): Plain {
  if (typeof value === 'string') return cutText(value, ITEM_CHARACTERS);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

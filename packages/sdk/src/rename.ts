import type { NameShape } from '@mem-service/contract/client';
import { camel, snake } from './camel.ts';
import { isEmptied } from './not-finite.ts';

export type Direction = 'toWire' | 'fromWire';

/**
 * Renames the members that belong to the service between camelCase and snake_case. Keys of records, and everything
 * inside a value of any shape, belong to the user and are unchanged.
 */
export function rename(shape: NameShape | null | undefined, value: unknown, direction: Direction): unknown {
  if (shape === 'any' || typeof value !== 'object' || value === null || hasOwnForm(value)) return value;
  if (shape && 'each' in shape) return renameItems(shape.each, value, direction);
  if (Array.isArray(value)) return shape ? value : value.map((item) => rename(shape, item, direction));
  const nameOf = namesOf(shape, direction);
  return Object.fromEntries(
    Object.entries(value).map(([given, item]) => {
      const { name, wireName } = nameOf(given);
      const isKnown = wireName !== undefined;
      return [name, isKnown ? rename(shape?.of[wireName], item, direction) : item];
    }),
  );
}

/** The items of a list, or the values of a record. */
function renameItems(shape: NameShape | null, value: object, direction: Direction): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(shape, item, direction));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rename(shape, item, direction)]));
}

/** What JSON does not take apart by its members, and what the check of the body refuses. */
const hasOwnForm = (value: object): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function' || isEmptied(value);

type MemberShape = Extract<NameShape, { of: unknown }>;
/** The new name of a member, and its name on the wire where it belongs to the service. */
type RenamedMember = { name: string; wireName?: string };

function namesOf(shape: MemberShape | null | undefined, direction: Direction): (given: string) => RenamedMember {
  if (!shape?.only) {
    return (given) => {
      const name = direction === 'toWire' ? snake(given) : camel(given);
      return { name, wireName: direction === 'toWire' ? name : given };
    };
  }
  const names = new Map(
    Object.keys(shape.of).map((name) => (direction === 'toWire' ? [camel(name), name] : [name, name])),
  );
  return (given) => {
    const wireName = names.get(given);
    if (wireName === undefined) return { name: given };
    return { name: direction === 'toWire' ? wireName : camel(wireName), wireName };
  };
}

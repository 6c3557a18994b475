/** The members of a JSON object whose shape nobody has checked. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = Object.freeze({});

/** An object, or one without members for anything else, so that a member of a member can always be read. */
export const objectOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : NONE;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that is not empty; a long one is not searched for more than spaces. A number counts as text: some senders write ids as numbers. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length > 1000 || /\S/.test(value) ? value : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Without the members that are undefined. */
export function known<T extends object>(members: T): T {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) out[name] = value;
  return out as T;
}

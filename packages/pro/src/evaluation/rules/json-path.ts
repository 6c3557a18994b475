import type { CountLooks } from './finding.ts';

type PathStep =
  | { kind: 'member'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'each' }
  | { kind: 'below'; name: string };

export type TracePath = readonly PathStep[];

const MAX_STEPS = 32;
/** A path with `*` or `..` looks at no more values than this. */
export const MAX_NODES = 20_000;

const MEMBER = /^\.([\p{L}_$][\p{L}\p{N}_$-]*)/u;
const BELOW = /^\.\.([\p{L}_$][\p{L}\p{N}_$-]*)/u;
const EACH = /^(?:\.\*|\[\*\])/;
const INDEX = /^\[(-?\d{1,9})\]/;
const QUOTED = /^\[(?:'([^'\\]*)'|"([^"\\]*)")\]/;

/** Reads a path; returns a text that describes what is wrong with it. */
export function parseJsonPath(text: string): TracePath | string {
  if (!text.startsWith('$')) return 'must begin with $';
  const steps: PathStep[] = [];
  for (let rest = text.slice(1); rest !== ''; ) {
    const [step, length] = firstStep(rest) ?? [];
    if (step === undefined || length === undefined)
      return `is not a path from ${JSON.stringify(rest.slice(0, 20))} on: use .name, ['name'], [0], [*] or ..name`;
    steps.push(step);
    if (steps.length > MAX_STEPS) return `has more than ${MAX_STEPS} steps`;
    rest = rest.slice(length);
  }
  return steps;
}

function firstStep(text: string): [PathStep, number] | undefined {
  const each = EACH.exec(text);
  if (each) return [{ kind: 'each' }, each[0].length];
  const below = BELOW.exec(text);
  if (below) return [{ kind: 'below', name: below[1] as string }, below[0].length];
  const member = MEMBER.exec(text);
  if (member) return [{ kind: 'member', name: member[1] as string }, member[0].length];
  const index = INDEX.exec(text);
  if (index) return [{ kind: 'index', index: Number(index[1]) }, index[0].length];
  const quoted = QUOTED.exec(text);
  return quoted ? [{ kind: 'member', name: (quoted[1] ?? quoted[2]) as string }, quoted[0].length] : undefined;
}

/** Looking at so many values takes well under a millisecond. */
const LOOKS_PER_STEP = 2000;

/** Looks at so many values more; whether others should get their turn. */
type LookInSteps = (values: number) => boolean;

function lookInSteps(look: CountLooks): LookInSteps {
  let looked = 0;
  return (values) => {
    look(values);
    looked += values;
    if (looked < LOOKS_PER_STEP) return false;
    looked = 0;
    return true;
  };
}

/** Values that were looked for in steps; undefined where there are too many to look at. */
type FindSteps = Generator<void, unknown[] | undefined>;

/** The values at a path, in order. */
export function* valuesAt(root: unknown, path: TracePath, count: CountLooks): FindSteps {
  const look = lookInSteps(count);
  let left = MAX_NODES;
  /** Whether so many may be looked at besides those before. */
  const isWithin = (nodes: number): boolean => {
    left -= nodes;
    return left >= 0;
  };
  let found: unknown[] = [root];
  for (const step of path) {
    const reading = { look, isWithin };
    const next = yield* step.kind === 'below' ? below(found, step.name, reading) : oneStep(found, step, reading);
    if (next === undefined) return undefined;
    found = next;
  }
  return found;
}

type PathReading = { look: LookInSteps; isWithin: (nodes: number) => boolean };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type HeldValues = { count: number; at: (no: number) => unknown };

const NOTHING: HeldValues = { count: 0, at: () => undefined };

/** What an array or an object holds. A list of the values of a large object takes three times as long as one of its names. */
function heldBy(value: unknown): HeldValues {
  if (Array.isArray(value)) return { count: value.length, at: (no) => value[no] };
  if (!isObject(value)) return NOTHING;
  const names = Object.keys(value);
  return { count: names.length, at: (no) => value[names[no] as string] };
}

function* oneStep(
  from: readonly unknown[],
  step: Exclude<PathStep, { kind: 'below' }>,
  { look, isWithin }: PathReading,
): FindSteps {
  const found: unknown[] = [];
  for (const value of from) {
    const { count, at } = step.kind === 'each' ? heldBy(value) : memberOf(value, step);
    if (!isWithin(count)) return undefined;
    for (let no = 0; no < count; no++) found.push(at(no));
    if (look(1 + count)) yield;
  }
  return found;
}

function memberOf(value: unknown, step: Extract<PathStep, { kind: 'member' | 'index' }>): HeldValues {
  if (step.kind === 'index') {
    const member = Array.isArray(value) ? value.at(step.index) : undefined;
    return member === undefined ? NOTHING : { count: 1, at: () => member };
  }
  const { name } = step;
  return isObject(value) && Object.hasOwn(value, name) ? { count: 1, at: () => value[name] } : NOTHING;
}

/** What has the name within some values, which may lie within each other: each object is looked at once. */
function* below(roots: readonly unknown[], name: string, { look, isWithin }: PathReading): FindSteps {
  const found: unknown[] = [];
  const seen = new Set<unknown>();
  for (const root of roots) {
    const open = [root];
    while (open.length > 0) {
      const value = open.pop();
      if (seen.has(value)) continue;
      if (!isWithin(1)) return undefined;
      seen.add(value);
      if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name]);
      const { count, at } = heldBy(value);
      // Last first, so that the first is looked at next.
      for (let no = count - 1; no >= 0; no--) {
        const held = at(no);
        if (typeof held === 'object' && held !== null) open.push(held);
      }
      if (look(1 + count)) yield;
    }
  }
  return found;
}

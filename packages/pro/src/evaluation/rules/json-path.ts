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

/** The values at a path, in order; undefined where there are too many to look at. */
export function valuesAt(root: unknown, path: TracePath, look: CountLooks): unknown[] | undefined {
  let found: unknown[] = [root];
  let left = MAX_NODES;
  for (const step of path) {
    const next: unknown[] = [];
    for (const value of found) {
      const reached = step.kind === 'below' ? below(value, step.name, { most: left, look }) : oneStep(value, step);
      if (reached === undefined) return undefined;
      left -= reached.looked;
      if (step.kind !== 'below') look(reached.looked);
      if (left < 0) return undefined;
      next.push(...reached.values);
    }
    found = next;
  }
  return found;
}

type FoundValues = { values: unknown[]; looked: number };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function oneStep(value: unknown, step: Exclude<PathStep, { kind: 'below' }>): FoundValues {
  if (step.kind === 'each') {
    const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    return { values, looked: values.length };
  }
  if (step.kind === 'index') {
    const at = Array.isArray(value) ? value.at(step.index) : undefined;
    return { values: at === undefined ? [] : [at], looked: 1 };
  }
  const isThere = isObject(value) && Object.hasOwn(value, step.name);
  return { values: isThere ? [value[step.name]] : [], looked: 1 };
}

type LookBounds = { most: number; look: CountLooks };

function below(root: unknown, name: string, { most, look }: LookBounds): FoundValues | undefined {
  const values: unknown[] = [];
  const open: unknown[] = [root];
  let looked = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (++looked > most) return undefined;
    if (isObject(value) && Object.hasOwn(value, name)) values.push(value[name]);
    const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    look(1 + children.length);
    // Last first, so that the first is looked at next.
    for (let at = children.length - 1; at >= 0; at--) {
      if (typeof children[at] === 'object' && children[at] !== null) open.push(children[at]);
    }
  }
  return { values, looked };
}

import type { plainDimensions } from '@mem-service/server/module';
import { firstInOrder } from '../../evaluation/rules/first-in-order.ts';

export type DimensionValue = string | number | boolean;

/** A run as it is cut. */
export type CutRun = {
  failed: boolean | null;
  agent_id: string;
  branch: string;
  outcome_type: string | null;
  created_at: number;
  models: readonly string[];
  tools: readonly string[];
  has_error: boolean;
  attributes: Readonly<Record<string, unknown>>;
  /** Paths of entries that were read. */
  paths: readonly string[];
};

type PlainDimension = (typeof plainDimensions)[number];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const VALUES: Record<PlainDimension, (run: CutRun) => readonly DimensionValue[]> = {
  agent_id: ({ agent_id }) => [agent_id],
  branch: ({ branch }) => [branch],
  model: ({ models }) => models,
  tool_name: ({ tools }) => tools,
  path: ({ paths }) => paths,
  outcome_type: ({ outcome_type }) => (outcome_type === null ? [] : [outcome_type]),
  has_error: ({ has_error }) => [has_error],
  day: ({ created_at }) => [new Date(created_at).toISOString().slice(0, 10)],
  weekday: ({ created_at }) => [WEEKDAYS[new Date(created_at).getUTCDay()] as string],
  hour_of_day: ({ created_at }) => [new Date(created_at).getUTCHours()],
};

const OF_ATTRIBUTE = 'attributes.';
/** Attributes beside the most frequent ones are cut by only where they are named. */
const MAX_ATTRIBUTES = 20;

export const isAboutPaths = (name: string): boolean => name === 'path';

/** What a run has in a dimension: several values, one or none. */
export function valuesIn(name: string, run: CutRun): readonly DimensionValue[] {
  if (!name.startsWith(OF_ATTRIBUTE)) return VALUES[name as PlainDimension](run);
  const key = name.slice(OF_ATTRIBUTE.length);
  const value = Object.hasOwn(run.attributes, key) ? run.attributes[key] : undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [value] : [];
}

/** Runs between two pauses. */
const STEP = 100;

/** All that some runs can be cut by: what each has, and the attributes that most of them have. */
export function* dimensionsOf(runs: readonly CutRun[]): Generator<void, string[]> {
  const used = new Map<string, number>();
  for (const [at, { attributes }] of runs.entries()) {
    if (at % STEP === 0) yield;
    for (const key of Object.keys(attributes)) used.set(key, (used.get(key) ?? 0) + 1);
  }
  // A sealed trace has its outcome among its attributes, too.
  used.delete('outcome_type');
  const keys = yield* firstInOrder(used, MAX_ATTRIBUTES, ([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return [...Object.keys(VALUES), ...keys.map(([key]) => `${OF_ATTRIBUTE}${key}`)];
}

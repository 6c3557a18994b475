import type { OperationName } from '@mem-service/contract';
import type { z } from 'zod';
import type { TestApp } from '../support/app.ts';
import {
  type ExampleSetup,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  markedInput,
  newInput,
  restoreExamplesAfter,
} from './table.ts';

/** Values worth trying in a field, where its type does not say. */
const WORTH_TRYING: Record<string, (mark: string) => unknown[]> = {
  entity_path: (mark) => ['*', `${mark}/**`, `${mark}/checkout/*`, `${mark}/checkout/payments`, `${mark}/nothing`],
  agent_id: (mark) => [`agent/${mark}`],
  session_id: () => ['sess-2'],
  pattern_ref: (mark) => [`pattern-${mark}`],
  query: (mark) => [mark, `"about ${mark}"`, 'abou*', 'nosuchword', `about ${mark} nosuchword`],
  since: () => ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00+02:00'],
  until: () => ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00+02:00'],
  as_of: () => ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
  ttl_at: () => ['2030-01-01T00:00:00Z'],
  ttl_seconds: () => [60],
  version: () => [1, 2, 99],
  old_version: () => [1, 99],
  new_version: () => [1, 2, 99],
  if_version: () => [0, 1],
  limit: () => [1, 2],
  after: () => [0, 5, 9999],
  field: () => ['max_attempts', 'note', 'nothing.there'],
  group_by: () => ['note', 'nothing.there'],
  row_path: () => ['items'],
  min_confidence: () => [0, 1],
  max_confidence: () => [0, 1],
  confidence: () => [0.25],
  key: () => ['new-key'],
};

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  if ('innerType' in def) return innermost(def.innerType as z.core.$ZodType);
  return def.type === 'pipe' ? innermost((def as z.core.$ZodPipeDef).in) : schema;
}

function valuesOf(field: string, schema: z.core.$ZodType, mark: string): unknown[] {
  const { def } = innermost(schema)._zod;
  if (def.type === 'boolean') return [true, false];
  if (def.type === 'enum') return Object.values((def as z.core.$ZodEnumDef).entries);
  return WORTH_TRYING[field]?.(mark) ?? [];
}

/** The input, and the input with each of its fields at each value worth trying, and without each that may be missing. */
export function variationsOf(name: OperationName, input: JsonObject, mark: string): JsonObject[] {
  const found = [input];
  for (const [field, schema] of Object.entries(fieldsOf(name))) {
    for (const value of valuesOf(field, schema, mark)) found.push({ ...input, [field]: value });
    if (field in input && schema._zod.optin === 'optional') {
      const { [field]: _, ...rest } = input;
      found.push(rest);
    }
  }
  return found;
}

export type Varied = ExampleSetup & { app: TestApp; name: OperationName; known: KnownIds };

/** Calls back with each variation of a new example, one after another. What a call removed is there again for the next. */
export async function forEachVariation(
  { app, name, known, ...setup }: Varied,
  call: (input: JsonObject, i: number) => Promise<unknown>,
): Promise<void> {
  const count = variationsOf(name, markedInput(name, setup.mark, known), setup.mark).length;
  for (let i = 0; i < count; i++) {
    await call(variationsOf(name, newInput(name, setup.mark, known), setup.mark)[i] as JsonObject, i);
    Object.assign(known, await restoreExamplesAfter(name, app, setup));
  }
}

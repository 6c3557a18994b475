import type { Input, Output } from '@mem-service/server/module';
import type { TraceFacets } from '../document-builder.ts';

type FacetName = NonNullable<Input<'traces.search'>['facets']>[number];
export type Facet = Output<'traces.search'>['facets'][number];

/** A trace as facets count it. */
export type CountedTrace = { agent_id: string; facts: TraceFacets };

/** Values of one facet, the most frequent first. */
const MAX_VALUES = 20;
const MAX_ATTRIBUTES = 20;

const valuesOf: Record<Exclude<FacetName, 'attributes'>, (trace: CountedTrace) => readonly unknown[]> = {
  agent_id: ({ agent_id }) => [agent_id],
  outcome_type: ({ facts }) => [facts.outcome_type],
  model: ({ facts }) => facts.models,
  tool_name: ({ facts }) => facts.tools,
  span_name: ({ facts }) => facts.span_names,
  span_kind: ({ facts }) => facts.span_kinds,
  has_error: ({ facts }) => [facts.has_error],
};

/** How many traces have each value. */
export function facetsOf(names: readonly FacetName[], traces: readonly CountedTrace[]): Facet[] {
  return names.flatMap((name) =>
    name === 'attributes' ? attributeFacets(traces) : [toFacet(name, countsOf(traces, valuesOf[name]))],
  );
}

/** One for each attribute, named `attributes.<key>`. */
function attributeFacets(traces: readonly CountedTrace[]): Facet[] {
  const used = new Map<string, number>();
  for (const { facts } of traces)
    for (const key of Object.keys(facts.attributes)) used.set(key, (used.get(key) ?? 0) + 1);
  const keys = [...used].sort(byCount).slice(0, MAX_ATTRIBUTES);
  return keys.map(([key]) =>
    toFacet(
      `attributes.${key}`,
      countsOf(traces, ({ facts: { attributes } }) => (Object.hasOwn(attributes, key) ? [attributes[key]] : [])),
    ),
  );
}

const byCount = ([a, n]: readonly [unknown, number], [b, m]: readonly [unknown, number]): number =>
  m - n || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function countsOf(traces: readonly CountedTrace[], of: (trace: CountedTrace) => readonly unknown[]) {
  const counts = new Map<unknown, number>();
  for (const trace of traces) for (const value of of(trace)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function toFacet(name: string, counts: ReadonlyMap<unknown, number>): Facet {
  const values = [...counts].sort(byCount).slice(0, MAX_VALUES);
  return {
    name,
    values: values.map(([value, count]) => ({ value: value as Facet['values'][number]['value'], count })),
    other_values: counts.size - values.length,
  };
}

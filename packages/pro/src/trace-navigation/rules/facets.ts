import type { Input, Output } from '@mem-service/server/module';
import { firstInOrder } from '../../evaluation/rules/first-in-order.ts';
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

/** How many traces have each value, in steps. */
export function* facetsOf(names: readonly FacetName[], traces: readonly CountedTrace[]): Generator<void, Facet[]> {
  const facets: Facet[] = [];
  for (const name of names) {
    if (name === 'attributes') facets.push(...(yield* attributeFacets(traces)));
    else facets.push(yield* facetOf(name, traces, valuesOf[name]));
  }
  return facets;
}

/** One for each attribute, named `attributes.<key>`. */
function* attributeFacets(traces: readonly CountedTrace[]): Generator<void, Facet[]> {
  const used = yield* countsOf(traces, ({ facts }) => Object.keys(facts.attributes));
  const keys = yield* mostFrequent(used, MAX_ATTRIBUTES);
  const facets: Facet[] = [];
  for (const { value: key } of keys) {
    const ownValue = ({ facts: { attributes } }: CountedTrace) =>
      Object.hasOwn(attributes, key) ? [attributes[key]] : [];
    facets.push(yield* facetOf(`attributes.${key}`, traces, ownValue));
  }
  return facets;
}

/** Traces between two pauses. */
const STEP = 10;

function* countsOf<V>(
  traces: readonly CountedTrace[],
  of: (trace: CountedTrace) => readonly V[],
): Generator<void, Map<V, number>> {
  const counts = new Map<V, number>();
  for (const [at, trace] of traces.entries()) {
    if (at % STEP === 0) yield;
    for (const value of of(trace)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** The text is made when it is first compared. */
type FrequentValue<V> = { value: V; count: number; text?: string };

function* each<V>(counts: ReadonlyMap<V, number>): Generator<FrequentValue<V>> {
  for (const [value, count] of counts) yield { value, count };
}

function textOf<V>(one: FrequentValue<V>): string {
  one.text ??= JSON.stringify(one.value);
  return one.text;
}

const mostFrequent = <V>(counts: ReadonlyMap<V, number>, most: number) =>
  firstInOrder(each(counts), most, (a, b) => b.count - a.count || (textOf(a) < textOf(b) ? -1 : 1));

function* facetOf(
  name: string,
  traces: readonly CountedTrace[],
  of: (trace: CountedTrace) => readonly unknown[],
): Generator<void, Facet> {
  const counts = yield* countsOf(traces, of);
  const values = yield* mostFrequent(counts, MAX_VALUES);
  return {
    name,
    values: values.map(({ value, count }) => ({ value: value as Facet['values'][number]['value'], count })),
    other_values: counts.size - values.length,
  };
}

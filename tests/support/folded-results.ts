import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { mergeThing, type Thing } from '../../packages/server/src/modules/ingestion/rules/merge.ts';

/** An entry after some results. Without a value it is deleted, or was never there. */
export type FoldedThing = { value?: Record<string, unknown>; links: string[]; artifact_refs: string[] };

type Folding = { thing: Thing; links: Set<string>; artifact_refs: Set<string> };

/** The entries by path and key after some results, merged as the service merges them, without its store. */
export function foldResults(results: readonly ConnectorResult[]): Map<string, FoldedThing> {
  const things = new Map<string, Folding>();
  for (const result of results) {
    if (result.operation !== 'write') continue;
    const name = `${result.entity_path} ${result.key}`;
    const { thing, links, artifact_refs } = things.get(name) ?? {
      thing: { value: undefined, state: {} },
      links: new Set(),
      artifact_refs: new Set(),
    };
    const { occurred_at = '1970-01-01T00:00:00Z', rank = 0, value, merge, items, deleted } = result;
    const stamp = [Date.parse(occurred_at), rank] as const;
    things.set(name, {
      thing: mergeThing(thing, { stamp, value, merge, items, deleted }).thing,
      links: new Set([...links, ...(result.links ?? []).map(({ relation, to }) => `${relation} ${to}`)]),
      artifact_refs: new Set([...artifact_refs, ...(result.artifact_refs ?? [])]),
    });
  }
  return new Map([...things].map(([name, one]) => [name, shown(one)]));
}

const shown = ({ thing, links, artifact_refs }: Folding): FoldedThing => ({
  ...(thing.value === undefined ? {} : { value: thing.value as Record<string, unknown> }),
  links: [...links].sort(),
  artifact_refs: [...artifact_refs].sort(),
});

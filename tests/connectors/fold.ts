import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { mergeThing, type Thing } from '../../packages/server/src/modules/ingestion/rules/merge.ts';

/** What is left of some results for one entry. */
export function fold(results: readonly ConnectorResult[]): unknown {
  let thing: Thing = { value: undefined, state: {} };
  for (const result of results) {
    if (result.operation !== 'write' || result.occurred_at === undefined) throw new Error('no write with a time');
    const stamp = [Date.parse(result.occurred_at), result.rank ?? 0] as const;
    thing = mergeThing(thing, { ...result, stamp }).thing;
  }
  return thing.value;
}

/** All orders of some things. */
export function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, n) => ordersOf(list.toSpliced(n, 1)).map((rest) => [first, ...rest]));
}

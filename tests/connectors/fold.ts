import type { ConnectorResult, WriteResult } from '../../packages/server/src/connectors/types.ts';

type Register = { stamp: string; value: unknown };

/** What is left of some results for one entry: of each member and each item the last that was written. */
export function fold(results: readonly ConnectorResult[]): Record<string, unknown> | undefined {
  const members = new Map<string, Register>();
  const items = new Map<string, Register>();
  let deleted = '';
  for (const result of results) {
    if (result.operation !== 'write') continue;
    const stamp = stampOf(result);
    if (result.deleted && stamp > deleted) deleted = stamp;
    for (const [name, value] of Object.entries(result.value as object)) put(members, name, { stamp, value });
    for (const [list, changes] of Object.entries(result.items ?? {}))
      for (const [id, value] of Object.entries(changes)) put(items, `${list} ${id}`, { stamp, value });
  }
  const left = (from: Map<string, Register>) =>
    [...from].filter(([, { stamp }]) => stamp > deleted).map(([name, { value }]): [string, unknown] => [name, value]);
  const all = [...left(members), ...left(items).filter(([, value]) => value !== null)];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

const stampOf = ({ occurred_at = '', rank = 0 }: WriteResult): string =>
  `${occurred_at} ${String(rank).padStart(5, '0')}`;

function put(registers: Map<string, Register>, name: string, next: Register) {
  const known = registers.get(name);
  if (!known || next.stamp > known.stamp || (next.stamp === known.stamp && text(next) > text(known)))
    registers.set(name, next);
}

const text = ({ value }: Register): string => (value === null ? '\uffff' : JSON.stringify(value));

/** All orders of some things. */
export function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, n) => ordersOf(list.toSpliced(n, 1)).map((rest) => [first, ...rest]));
}

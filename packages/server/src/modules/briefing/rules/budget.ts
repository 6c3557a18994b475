import { stringify } from '@mem-service/contract';

/** About four characters of JSON make a token. Places in the log do not count: they grow with what the caller may not see. */
export function tokensOf(item: unknown): number {
  const { seq: _, staleness_ms: __, ...shown } = item as Record<string, unknown>;
  return Math.ceil((stringify(shown) ?? '').length / 4);
}

export type BriefingItems = Readonly<Record<string, readonly unknown[]>>;
export type FilledSections<S extends BriefingItems> = {
  sections: { [N in keyof S]: S[N][number][] };
  left_out: { section: keyof S; count: number }[];
  tokens: number;
};

/**
 * Whole items as long as they fit: first the best of each section, in the order of the sections, then the second of each, and
 * so on. A smaller item may still fit after one that did not.
 */
export function fillSections<S extends BriefingItems>(
  all: S,
  order: readonly (keyof S)[],
  budget: number,
): FilledSections<S> {
  const kept = new Map<keyof S, unknown[]>(order.map((name) => [name, []]));
  const longest = Math.max(0, ...order.map((name) => all[name]?.length ?? 0));
  let tokens = 0;
  for (let at = 0; at < longest; at++)
    for (const name of order) {
      const item = all[name]?.[at];
      if (item === undefined) continue;
      const size = tokensOf(item);
      if (tokens + size > budget) continue;
      tokens += size;
      kept.get(name)?.push(item);
    }
  const sections = Object.fromEntries(order.map((name) => [name, kept.get(name) ?? []]));
  const left_out = order.flatMap((section) => {
    const count = (all[section]?.length ?? 0) - (kept.get(section)?.length ?? 0);
    return count > 0 ? [{ section, count }] : [];
  });
  return { sections: sections as FilledSections<S>['sections'], left_out, tokens };
}

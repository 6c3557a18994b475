import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pathMatcher } from './path-matcher.ts';
import { matchPath, patterns, type RoutePattern, routerPath } from './routes.ts';

const groups = new Map<string, RoutePattern[]>();
for (const pattern of patterns) {
  if (pattern.greedy < 0) continue;
  const id = `${pattern.method} ${routerPath(pattern)}`;
  groups.set(id, [...(groups.get(id) ?? []), pattern]);
}

const words = [...new Set(patterns.flatMap(({ segments }) => segments.map(({ word }) => word)))];
const part = fc.oneof(
  fc.constantFrom('', 'a', 'b%2Fc', '%41', 'history', '%', ...words.filter((word) => !word.startsWith('{'))),
  fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', '%20'), maxLength: 6 }),
);

const outcomeOf = (match: () => unknown) => {
  try {
    return match() ?? 'no match';
  } catch (error) {
    return (error as Error).message;
  }
};

it.each([...groups])('%s: an address is taken apart as the general matcher does', (_id, group) => {
  const match = pathMatcher(group);
  const heads = group.map(({ segments, greedy }) =>
    segments
      .slice(0, greedy)
      .map(({ word }) => `/${word}`)
      .join(''),
  );
  fc.assert(
    fc.property(fc.constantFrom(...heads, ''), fc.array(part, { maxLength: 6 }), (head, rest) => {
      const path = head + rest.map((one) => `/${one}`).join('');
      expect(outcomeOf(() => match(path))).toEqual(outcomeOf(() => matchPath(group, path)));
    }),
    { numRuns: 300 },
  );
});

import { decode, matchPath, type PathMatch, type RoutePattern } from './routes.ts';

type TextMatcher = (rawPath: string) => PathMatch | undefined;

/**
 * Matches addresses against the patterns of one route. Most have words, then a name that may span several segments, then
 * few segments: these are cut from the end of the text, in 0.5 µs instead of 1.8 for taking all of it apart.
 */
export function pathMatcher(candidates: readonly RoutePattern[]): TextMatcher {
  const general: TextMatcher = (rawPath) => matchPath(candidates, rawPath);
  const [first] = candidates;
  if (!first || !candidates.every((one) => isPlain(one) && one.greedy === first.greedy)) return general;
  // Of several matches, the one with the shortest first name wins: the one with the most segments after it.
  const matchers = [...candidates].sort((a, b) => b.segments.length - a.segments.length).map(toMatcher);
  return (rawPath) => {
    for (const match of matchers) {
      const found = match(rawPath);
      if (found) return found;
    }
    return undefined;
  };
}

const isPlain = ({ segments, greedy, lastGreedy }: RoutePattern): boolean =>
  greedy >= 0 && greedy === lastGreedy && segments.slice(0, greedy).every(({ parameter }) => parameter === undefined);

function toMatcher({ name, segments, greedy }: RoutePattern): TextMatcher {
  const head = segments
    .slice(0, greedy)
    .map(({ word }) => `/${word}`)
    .join('');
  const spanning = segments[greedy]?.parameter as string;
  const tail = segments.slice(greedy + 1).reverse();
  const ending = tail[0] && tail[0].parameter === undefined ? `/${tail[0].word}` : '';
  return (rawPath) => {
    if (!rawPath.endsWith(ending)) return undefined;
    if (!rawPath.startsWith(head) || rawPath[head.length] !== '/') return undefined;
    let end = rawPath.length;
    const values: string[] = [];
    for (const { word, parameter } of tail) {
      const slash = rawPath.lastIndexOf('/', end - 1);
      if (slash <= head.length) return undefined;
      const part = rawPath.slice(slash + 1, end);
      if (parameter === undefined && part !== word) return undefined;
      values.push(part);
      end = slash;
    }
    const params: Record<string, string> = { [spanning]: decodeEach(rawPath.slice(head.length + 1, end)) };
    for (let i = tail.length - 1; i >= 0; i--) {
      const parameter = tail[i]?.parameter;
      if (parameter !== undefined) params[parameter] = decode(values[i] as string);
    }
    return { name, params };
  };
}

const decodeEach = (path: string): string => (path.includes('%') ? path.split('/').map(decode).join('/') : path);

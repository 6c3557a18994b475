import {
  Fault,
  type HttpMethod,
  type HttpRoute,
  type OperationName,
  operationNames,
  operations,
  spanning,
} from '@mem-service/contract';

/** A literal word, or the name of a parameter. */
type RouteSegment = { word: string; parameter: string | undefined; isGreedy: boolean };

/**
 * One address of an operation, split into segments, with the indexes of the first and last segment that may span
 * several parts, or -1.
 */
export type RoutePattern = {
  name: OperationName;
  method: HttpMethod;
  path: string;
  segments: readonly RouteSegment[];
  greedy: number;
  lastGreedy: number;
};

function toSegment(word: string): RouteSegment {
  const parameter = word.startsWith('{') ? word.slice(1, -1) : undefined;
  return { word, parameter, isGreedy: parameter !== undefined && spanning.has(parameter) };
}

function toPattern(name: OperationName, { method, path }: HttpRoute): RoutePattern {
  const segments = path.split('/').slice(1).map(toSegment);
  const greedy = segments.findIndex(({ isGreedy }) => isGreedy);
  const lastGreedy = segments.findLastIndex(({ isGreedy }) => isGreedy);
  return { name, method, path, segments, greedy, lastGreedy };
}

export function routesOf(name: OperationName): HttpRoute[] {
  const { http } = operations[name];
  return [http, ...(http.aliases ?? [])];
}

export const patterns: readonly RoutePattern[] = operationNames.flatMap((name) =>
  routesOf(name).map((route) => toPattern(name, route)),
);

/**
 * The path for the router: a wildcard from the first parameter that may span several segments; `matchPath` takes the
 * wildcard apart.
 */
export function routerPath({ segments, greedy }: RoutePattern): string {
  const fixed = greedy < 0 ? segments : segments.slice(0, greedy);
  const named = fixed.map(({ word, parameter }) => (parameter === undefined ? word : `:${parameter}`));
  return `/${[...named, ...(greedy < 0 ? [] : ['*'])].join('/')}`;
}

/** How many parts of an address each segment takes. The first that may span several takes as few as possible. */
function matchSegments(pattern: RoutePattern, parts: readonly string[]): number[] | undefined {
  const { segments, greedy, lastGreedy } = pattern;
  const spare = parts.length - segments.length;
  if (spare < 0 || (greedy < 0 && spare > 0)) return undefined;
  // Most addresses differ in a word at a fixed position, before or after the segments that may span several parts.
  for (let i = 0; i < segments.length; i++) {
    const { word, parameter } = segments[i] as RouteSegment;
    if (parameter !== undefined || (i >= greedy && i <= lastGreedy)) continue;
    if (parts[i > lastGreedy ? i + spare : i] !== word) return undefined;
  }
  if (greedy === lastGreedy) return segments.map(({ isGreedy }) => (isGreedy ? 1 + spare : 1));
  return matchFrom(pattern, parts, { at: 0, from: 0 });
}

type MatchPosition = { at: number; from: number };

function matchFrom(pattern: RoutePattern, parts: readonly string[], { at, from }: MatchPosition): number[] | undefined {
  const { segments, lastGreedy } = pattern;
  const segment = segments[at];
  if (segment === undefined) return from === parts.length ? [] : undefined;
  if (segment.parameter === undefined && segment.word !== parts[from]) return undefined;
  const room = parts.length - from - (segments.length - at - 1);
  const most = segment.isGreedy ? room : Math.min(room, 1);
  // After the last such segment, every segment is one part, so its length is fixed.
  for (let span = at === lastGreedy ? Math.max(most, 1) : 1; span <= most; span++) {
    const rest = matchFrom(pattern, parts, { at: at + 1, from: from + span });
    if (rest) return [span, ...rest];
  }
  return undefined;
}

export type PathMatch = { name: OperationName; params: Record<string, string> };

const partsOf = (rawPath: string) => rawPath.split('/').slice(1);

/**
 * Splits an address in its raw, still encoded form, so that a slash inside a segment (%2F) is not a separator. Where
 * several matches are possible, the one with the shortest first name wins: a word such as /history or /timeline is read
 * as the suffix wherever possible.
 */
export function matchPath(candidates: readonly RoutePattern[], rawPath: string): PathMatch | undefined {
  const parts = partsOf(rawPath);
  let best: { pattern: RoutePattern; spans: number[]; first: number } | undefined;
  for (const pattern of candidates) {
    const spans = matchSegments(pattern, parts);
    const first = spans?.[pattern.greedy] ?? 1;
    if (spans && (!best || first < best.first)) best = { pattern, spans, first };
  }
  return best && { name: best.pattern.name, params: paramsOf(best.pattern, best.spans, parts) };
}

function paramsOf(
  { segments }: RoutePattern,
  spans: readonly number[],
  parts: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = {};
  let from = 0;
  segments.forEach(({ parameter }, i) => {
    const to = from + (spans[i] as number);
    if (parameter !== undefined) params[parameter] = parts.slice(from, to).map(decode).join('/');
    from = to;
  });
  return params;
}

export function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Fault('invalid_input', 'the address is not valid percent-encoded UTF-8', {
      errors: [{ path: 'url', message: 'is not valid percent-encoded UTF-8' }],
    });
  }
}

/** Suffixes of an entry's address with their own meaning; a key of that name needs another address. */
export const suffixes: ReadonlySet<string> = new Set(
  patterns.flatMap(({ segments }) => {
    const last = segments.at(-1);
    return last && last.parameter === undefined && segments.some(({ parameter }) => parameter === 'key')
      ? [last.word]
      : [];
  }),
);

/** The methods that an address takes, to name them in a refusal. */
export function methodsAt(rawPath: string): HttpMethod[] {
  const parts = partsOf(rawPath);
  return [...new Set(patterns.filter((pattern) => matchSegments(pattern, parts)).map(({ method }) => method))];
}

/** The address of a webhook has a key in it, and an error is passed on and logged. */
const withoutKeys = (rawPath: string): string => rawPath.replace(/mem_sk_\w+/g, 'mem_sk_…');

/** Why no route matches: the address takes other methods, or does not exist. */
export function refusalAt(method: string, rawPath: string, methods: readonly string[] = methodsAt(rawPath)): Fault {
  if (methods.length === 0) return new Fault('route_not_found', `there is no route ${method} ${withoutKeys(rawPath)}`);
  const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new Fault('method_not_allowed', `this route takes ${allow.join(', ')}`, { allow });
}

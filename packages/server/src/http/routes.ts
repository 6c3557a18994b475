import {
  Fault,
  type HttpRoute,
  type Method,
  type OperationName,
  operationNames,
  operations,
} from '@mem-service/contract';

/** One address of an operation, cut into segments; `after` are those behind the path that spans several. */
export type Pattern = {
  name: OperationName;
  method: Method;
  path: string;
  segments: string[];
  greedy: number;
  after: readonly string[];
};

function toPattern(name: OperationName, { method, path }: HttpRoute): Pattern {
  const segments = path.split('/').slice(1);
  const greedy = segments.indexOf('{entity_path}');
  return { name, method, path, segments, greedy, after: greedy < 0 ? [] : segments.slice(greedy + 1) };
}

export function routesOf(name: OperationName): HttpRoute[] {
  const { http } = operations[name];
  return [http, ...(http.aliases ?? [])];
}

/** Longer ones first, so that a suffix such as /history is tried before the bare address. */
export const patterns: readonly Pattern[] = operationNames
  .flatMap((name) => routesOf(name).map((route) => toPattern(name, route)))
  .sort((a, b) => b.segments.length - a.segments.length);

/**
 * The route that the router can match: a path that spans several segments becomes a wildcard, and what follows it is
 * told apart by `matchTail`.
 */
export function routerPath({ segments, greedy }: Pattern): string {
  const fixed = greedy < 0 ? segments : segments.slice(0, greedy);
  const named = fixed.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  return `/${[...named, ...(greedy < 0 ? [] : ['*'])].join('/')}`;
}

/**
 * Takes an address apart from its raw, still encoded form, so that a slash inside a key (%2F) is told from one between
 * segments. The last segment is the key; a suffix such as /history wins where a path is left before the key.
 */
export function matchTail(
  candidates: readonly Pattern[],
  rawPath: string,
): { name: OperationName; params: Record<string, string> } | undefined {
  // The first part is empty, as an address begins with a slash.
  const parts = rawPath.split('/');
  for (const { name, greedy, after } of candidates) {
    const end = parts.length - after.length;
    if (end < greedy + 2 || !after.every((segment, i) => isName(segment) || segment === parts[end + i])) continue;
    const params: Record<string, string> = { entity_path: decode(parts.slice(greedy + 1, end).join('/')) };
    after.forEach((segment, i) => {
      if (isName(segment)) params[segment.slice(1, -1)] = decode(parts[end + i] ?? '');
    });
    return { name, params };
  }
  return undefined;
}

const isName = (segment: string) => segment.startsWith('{');

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Fault('invalid_input', 'the address is not valid percent-encoded UTF-8', {
      errors: [{ path: 'url', message: 'is not valid percent-encoded UTF-8' }],
    });
  }
}

/** Words after an entry's address that mean something of their own, so that a key of that name has another address. */
export const suffixes: ReadonlySet<string> = new Set(
  patterns.flatMap(({ segments, greedy }) => {
    const last = segments.at(-1) ?? '';
    return greedy >= 0 && !last.startsWith('{') ? [last] : [];
  }),
);

/** The methods that an address takes, for a refusal that helps. */
export function methodsAt(rawPath: string): Method[] {
  const parts = rawPath.split('/').slice(1);
  const fits = ({ segments, greedy }: Pattern) =>
    greedy < 0
      ? segments.length === parts.length && segments.every((part, i) => part.startsWith('{') || part === parts[i])
      : parts.length >= segments.length && segments.slice(0, greedy).every((part, i) => part === parts[i]);
  return [...new Set(patterns.filter(fits).map((pattern) => pattern.method))];
}

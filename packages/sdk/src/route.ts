import type { HttpMethod, HttpRoute, JsonObject } from '@mem-service/contract';
import { type Route, type RouteAddress, routes, spanning, stringify } from '@mem-service/contract/client';
import { invalidField } from './error.ts';
import { isLost, lostField, refuseLost } from './not-finite.ts';

export type RequestAddress = { method: HttpMethod; path: string; body: string | undefined };

const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

const paths = Object.values(routes).flatMap((route) => addressesOf(route).map(({ path }) => path));

/** Words with a meaning of their own after an entry's address, such as `history`. */
const suffixes: ReadonlySet<string> = new Set(
  paths
    .filter((path) => path.includes('{entity_path}') && !path.endsWith('}'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1)),
);

/** Words that end an agent's name in a path, such as `timeline`. */
const agentEnds: ReadonlySet<string> = new Set(paths.flatMap((path) => /\{agent_id\}\/([^/{]+)/.exec(path)?.[1] ?? []));

function addressesOf({ to, aliases = [] }: Route): HttpRoute[] {
  return [to, ...aliases].map((address: RouteAddress) => {
    const [method, path] = address.split(' ') as [HttpMethod, string];
    return { method, path };
  });
}

/** The URL path and the body of a call. */
export function addressOf(route: Route, input: JsonObject): RequestAddress {
  const { method, path } = routeFor(route, input);
  const inPath = parametersOf(path);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segments(name, input[name]));
  const rest = Object.entries(input).filter(([name, value]) => !inPath.includes(name) && value !== undefined);
  for (const [name, value] of Object.entries(input)) if (isLost(value)) throw lostField(name, value);
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path: filled, body: bodyOf(rest) };
  }
  const query = rest.flatMap(([name, value]) => (value === null ? [] : [`${name}=${encode(name, textOf(value))}`]));
  return { method, path: query.length === 0 ? filled : `${filled}?${query.join('&')}`, body: undefined };
}

function bodyOf(members: readonly (readonly [string, unknown])[]): string {
  try {
    const body = stringify(Object.fromEntries(members));
    refuseLost(members);
    return body;
  } catch (error) {
    // The one value that stops it, instead of being lost.
    if (error instanceof TypeError && error.message.includes('BigInt')) refuseLost(members);
    throw error;
  }
}

/** The primary route, unless the values in its path would be read as another route. */
function routeFor(route: Route, input: JsonObject): HttpRoute {
  const [first, ...aliases] = addressesOf(route) as [HttpRoute, ...HttpRoute[]];
  const misread = parametersOf(first.path).find((name) => isMisread(name, input[name]));
  if (misread === undefined) return first;
  const plain = aliases.find(({ method, path }) => method === first.method && parametersOf(path).length === 0);
  if (plain) return plain;
  const isMissing = input[misread] === undefined;
  throw invalidField(misread, isMissing ? 'is required' : 'must be a text that is valid in a URL path');
}

function isMisread(name: string, value: unknown): boolean {
  if (typeof value === 'number') return false;
  if (typeof value !== 'string' || (name === 'key' && suffixes.has(value))) return true;
  return partsOf(name, value).some((part) => !isPlainSegment(part));
}

/** Browsers and proxies normalise these segments away. */
const isPlainSegment = (part: string) => part !== '' && part !== '.' && part !== '..';

/**
 * Keeps slashes where possible, because proxies handle them better than %2F; an agent's name is encoded as one segment
 * if needed.
 */
function partsOf(name: string, value: string): string[] {
  // The name of a branch may end like an address below it.
  if (!spanning.has(name) || name === 'name') return [value];
  const parts = value.split('/');
  const mustJoin = name === 'agent_id' && parts.some((part) => !isPlainSegment(part) || agentEnds.has(part));
  return mustJoin ? [value] : parts;
}

const segments = (name: string, value: unknown): string =>
  partsOf(name, String(value))
    .map((part) => encode(name, part))
    .join('/');

function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalidField(name, 'must be well-formed Unicode');
  }
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

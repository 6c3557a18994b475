import { hash } from 'node:crypto';
import { entityPathProblem } from '@mem-service/contract';

/** The agents that events from outside are written by. Nobody else writes as one of them. */
export const webhookAgent = (connector: string): string => `webhook/${connector}`;
export const externalAgent = (source: string): string => `external/${source}`;

const MAX_ID_CHARS = 200;

/** An id of any length as it is remembered. */
export const deliveryIdOf = (id: string): string =>
  id.length > MAX_ID_CHARS ? `sha256:${hash('sha256', id, 'hex')}` : id;

const shortHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 12);

const SLUG_CHARS = 60;

const slugOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, SLUG_CHARS)
    .toWellFormed()
    .replace(/^-+|-+$/g, '') || 'event';

/** The key of something that was noted with a delivery: no two of them have the same. */
export const contextKey = (label: string, { id, no }: { id: string; no: number }): string =>
  `context-${slugOf(label)}-${shortHash(`${no}\n${id}`)}`;

/** The key of an event that is kept as it came. */
export const rawKey = (event_type: string, id: string): string => `raw-${slugOf(event_type)}-${shortHash(id)}`;

/** Where payloads name the thing that they are about: a repository, a project, a channel, a service. */
const NAMED_AT: readonly (readonly string[])[] = [
  ['repository', 'full_name'],
  ['issue', 'fields', 'project', 'key'],
  ['project', 'key'],
  ['version', 'projectKey'],
  ['event', 'channel', 'id'],
  ['event', 'channel'],
  ['event', 'item', 'channel'],
  ['channel', 'id'],
  ['channel'],
  ['event', 'data', 'service', 'summary'],
  ['event', 'data', 'incident', 'service', 'summary'],
  ['service', 'name'],
  ['service'],
];

const MAX_NAMED_CHARS = 512;
const MEMBER = /\{([^{}]+)\}/g;

/**
 * The path of what an event says about no thing of its own: the default path of the connector, with the members of the
 * payload that it names, as in `repos/{repository.full_name}`; or what the payload says it is about, below that path.
 */
export function pathOf(payload: unknown, default_entity_path: string): string {
  const filled = default_entity_path.replace(MEMBER, (_, names: string) => namedAt(payload, names.split('.')) ?? '{');
  if (filled !== default_entity_path && isPath(filled)) return filled;
  const base = default_entity_path.split(/\/?[{<*]/, 1)[0] || 'events';
  for (const names of filled === default_entity_path ? NAMED_AT : []) {
    const named = namedAt(payload, names);
    if (named !== undefined && isPath(`${base}/${named}`)) return `${base}/${named}`;
  }
  return base;
}

const isPath = (path: string): boolean => !path.includes('{') && entityPathProblem(path) === undefined;

function namedAt(payload: unknown, names: readonly string[]): string | undefined {
  const named = names.reduce<unknown>(memberOf, payload);
  // A path cannot be as long: nothing is made of a text of a megabyte.
  if (typeof named !== 'string' || named.length > MAX_NAMED_CHARS) return undefined;
  return named !== '' ? named.split('/').map(segmentOf).join('/') : undefined;
}

const segmentOf = (text: string): string =>
  text
    .normalize('NFC')
    .trim()
    .replace(/[*\\\s]+/g, '-')
    .replace(/^\.{1,2}$/, '-') || '-';

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

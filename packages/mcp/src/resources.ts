import { shapes, stringify } from '@mem-service/contract';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { previewLists, trimmedWithin } from './previews.ts';
import { problemOf } from './refusals.ts';
import type { ResourceAddress } from './rules/resource-changes.ts';
import { branchFor, callService, type JsonObject, type McpSession } from './session.ts';

const ENTRIES = 'mem://entries';
const BRIEFING = 'mem://briefing';
/** Digests of a briefing; its sections are short. */
const DIGESTS = 3;
const mimeType = 'application/json';

/** Resources that a client can show, or pass to its model, without calling a tool. */
export const resources = [
  {
    uri: BRIEFING,
    name: 'briefing',
    title: 'Briefing',
    mimeType,
    description: 'What to know before work begins: what holds, what failed, what changed',
  },
  { uri: ENTRIES, name: 'entries', title: 'Newest entries', mimeType, description: 'What was written last, in short' },
  { uri: 'mem://timeline', name: 'timeline', title: 'Timeline', mimeType, description: 'What happened to your memory' },
  { uri: 'mem://stats', name: 'stats', title: 'Statistics', mimeType, description: 'How much memory there is' },
];

export const ENTRY_TEMPLATE = `${ENTRIES}/{+entity_path}/{key}`;

export const BRIEFING_TEMPLATE = `${BRIEFING}/{+entity_path}`;

export const resourceTemplates = [
  {
    uriTemplate: BRIEFING_TEMPLATE,
    name: 'briefing of a subject',
    title: 'Briefing of a subject',
    mimeType,
    description: 'The same for a path and all below it',
  },
  {
    uriTemplate: ENTRY_TEMPLATE,
    name: 'entry',
    title: 'Entry',
    mimeType,
    description: 'One entry, whole. A slash within the key is %2F',
  },
];

/** Parses the address of a resource, whether or not it exists; undefined for any other address. */
export function resourceAt(uri: string): ResourceAddress | undefined {
  const address = addressOf(uri);
  if (address) return { kind: 'entry', ...address };
  const entity_path = uri.startsWith(`${BRIEFING}/`) ? pathIn(uri.slice(BRIEFING.length + 1)) : undefined;
  return entity_path === undefined ? LISTED[uri] : { kind: 'briefing', entity_path };
}

const LISTED: Readonly<Record<string, ResourceAddress>> = {
  [ENTRIES]: { kind: 'entries' },
  [BRIEFING]: { kind: 'briefing' },
  'mem://timeline': { kind: 'timeline' },
  'mem://stats': { kind: 'stats' },
};

export async function readResource(uri: string, session: McpSession): Promise<string> {
  const resource = resourceAt(uri);
  if (!resource) throw new ResourceNotFoundError(uri);
  try {
    return await read(resource, session);
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code === 'not_found') throw new ResourceNotFoundError(uri);
    throw problem ? new ProtocolError(ProtocolErrorCode.InvalidParams, problem.detail) : error;
  }
}

async function read(resource: ResourceAddress, session: McpSession): Promise<string> {
  const { branch, identity } = session;
  const { agent_id } = identity.caller();
  const limit = 50;
  if (resource.kind === 'entry') {
    const { entity_path, key } = resource;
    const on = branchFor(session, [entity_path]);
    return session.service.call('entries.read', { entity_path, key, branch: on }, identity.caller());
  }
  if (resource.kind === 'briefing') {
    const { entity_path } = resource;
    return stringify(
      trimmedWithin(await callService(session, 'briefing.read', { entity_path, branch, limit: DIGESTS })),
    );
  }
  if (resource.kind === 'stats') return stringify(await callService(session, 'stats.read', { branch }));
  if (resource.kind === 'timeline')
    return lists(await callService(session, 'agents.timeline', { agent_id, branch, limit }));
  return lists(await callService(session, 'entries.list', { branch, sort: 'recent', limit }));
}

/** A path whose segments are percent-encoded. */
function pathIn(text: string): string | undefined {
  try {
    return shapes.entityPath.parse(text.split('/').map(decodeURIComponent).join('/'));
  } catch {
    return undefined;
  }
}

const lists = (page: JsonObject) => stringify(previewLists(page));

/** The last segment is the key, with slashes written as %2F; all segments are percent-encoded. */
function addressOf(uri: string): { entity_path: string; key: string } | undefined {
  if (!uri.startsWith(`${ENTRIES}/`)) return undefined;
  const parts = uri.slice(ENTRIES.length + 1).split('/');
  try {
    const [key = '', ...path] = parts.map(decodeURIComponent).reverse();
    const entity_path = shapes.entityPath.parse(path.reverse().join('/'));
    return { entity_path, key: shapes.key.parse(key) };
  } catch {
    return undefined;
  }
}

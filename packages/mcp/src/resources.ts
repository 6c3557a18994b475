import { shapes, stringify } from '@mem-service/contract';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { previewLists } from './previews.ts';
import { problemOf } from './refusals.ts';
import type { Place } from './rules/touched.ts';
import { ask, type Json, type Session } from './session.ts';

const ENTRIES = 'mem://entries';
const mimeType = 'application/json';

/** What a client can show, or give to its model, without a tool. */
export const resources = [
  { uri: ENTRIES, name: 'entries', title: 'Newest entries', mimeType, description: 'What was written last, in short' },
  { uri: 'mem://timeline', name: 'timeline', title: 'Timeline', mimeType, description: 'What happened to your memory' },
  { uri: 'mem://stats', name: 'stats', title: 'Statistics', mimeType, description: 'How much memory there is' },
];

export const ENTRY_TEMPLATE = `${ENTRIES}/{+entity_path}/{key}`;

export const resourceTemplates = [
  {
    uriTemplate: ENTRY_TEMPLATE,
    name: 'entry',
    title: 'Entry',
    mimeType,
    description: 'One entry, whole. A slash within the key is %2F',
  },
];

/** What is meant, whether or not there is something in it; undefined for what is no resource. */
export function placeOf(uri: string): Place | undefined {
  const address = addressOf(uri);
  return address ? { kind: 'entry', ...address } : LISTED[uri];
}

const LISTED: Readonly<Record<string, Place>> = {
  [ENTRIES]: { kind: 'entries' },
  'mem://timeline': { kind: 'timeline' },
  'mem://stats': { kind: 'stats' },
};

export async function readResource(uri: string, session: Session): Promise<string> {
  const place = placeOf(uri);
  if (!place) throw new ResourceNotFoundError(uri);
  try {
    return await read(place, session);
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code === 'not_found') throw new ResourceNotFoundError(uri);
    throw problem ? new ProtocolError(ProtocolErrorCode.InvalidParams, problem.detail) : error;
  }
}

async function read(place: Place, session: Session): Promise<string> {
  const { branch, identity } = session;
  const { agent_id } = identity.who();
  const limit = 50;
  if (place.kind === 'entry') {
    const { entity_path, key } = place;
    return session.service.call('entries.read', { entity_path, key, branch }, identity.who());
  }
  if (place.kind === 'stats') return stringify(await ask(session, 'stats.read', { branch }));
  if (place.kind === 'timeline') return lists(await ask(session, 'agents.timeline', { agent_id, branch, limit }));
  return lists(await ask(session, 'entries.list', { branch, sort: 'recent', limit }));
}

const lists = (page: Json) => stringify(previewLists(page));

/** The last segment is the key, in which a slash is written as %2F; everything is percent-encoded. */
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

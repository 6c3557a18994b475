import { labelOf } from '../labels.ts';
import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { jiraProjectPath, personNode, webPages } from '../references.ts';
import { keyOf, pathSegment } from '../text.ts';
import type { EntryResult, ResultLink } from '../types.ts';

export const ROOT_PATH = 'projects/jira';
const MAX_NAMES = 50;

/** The cloud names people by their account, a server by their name. */
const personId = ({ accountId, name, key }: Members): string | undefined =>
  textOf(accountId) ?? textOf(name) ?? textOf(key);

export function personName(person: unknown): string | undefined {
  const { displayName } = objectOf(person);
  return labelOf(displayName) ?? labelOf(personId(objectOf(person)));
}

export function personLinks(relation: string, ...people: readonly unknown[]): ResultLink[] {
  return people.flatMap((person) => {
    const id = personId(objectOf(person));
    return id === undefined ? [] : [{ relation, to: personNode('jira', id) }];
  });
}

/** A member that a payload leaves out says nothing; one that is null says that there is none. */
export const nameIn = (fields: Members, member: string): string | null | undefined =>
  Object.hasOwn(fields, member)
    ? (labelOf(objectOf(fields[member]).name) ?? labelOf(fields[member]) ?? null)
    : undefined;

export const personIn = (fields: Members, member: string): string | null | undefined =>
  Object.hasOwn(fields, member) ? (personName(fields[member]) ?? null) : undefined;

/** The names of things in a list, or the texts in it. */
export function namesIn(fields: Members, member: string): string[] | undefined {
  if (!Object.hasOwn(fields, member)) return undefined;
  return listOf(fields[member])
    .slice(0, MAX_NAMES)
    .map((each) => labelOf(objectOf(each).name) ?? labelOf(each))
    .filter((name) => name !== undefined);
}

/** `PROJ-12` belongs to `PROJ`. */
export const projectKeyOf = (issueKey: string): string => issueKey.replace(/-\d+$/, '');

export const projectPath = jiraProjectPath;
export const boardPath = (id: unknown): string | undefined => numbered('board', id);

export type ThingPlace = Pick<EntryResult, 'entity_path' | 'unplaced'>;

/**
 * Where a sprint is: with its board, which both its own events and those of its issues name. Its project, which its own
 * events hardly ever name, counts only until the board is known.
 */
export const sprintPlace = (board: unknown, project: unknown): ThingPlace | undefined =>
  placeBy(boardPath(board), project);

/** Where a version is: with the number of its project. Its own events leave out the key, which may change, too. */
export const versionPlace = (projectId: unknown, project: unknown): ThingPlace | undefined =>
  placeBy(numbered('project', projectId), project);

function placeBy(path: string | undefined, project: unknown): ThingPlace | undefined {
  if (path !== undefined) return { entity_path: path };
  const key = textOf(project);
  return key === undefined ? undefined : { entity_path: projectPath(key), unplaced: true };
}

function numbered(kind: string, id: unknown): string | undefined {
  const number = textOf(id);
  return number === undefined ? undefined : `${ROOT_PATH}/${kind}-${pathSegment(number)}`;
}

/** A thing for good. Its number is that of its site only, and a team may have several sites. */
export function thingOf(kind: string, id: string, self: unknown): string {
  const site = /^https?:\/\/([^/]+)/.exec(webPages(self)[0] ?? '')?.[1];
  return keyOf(kind, site === undefined ? id : `${id}@${site.toLowerCase()}`);
}

/** The page of a thing, from the address of its resource: what stands before `/rest/` is the address of the site. */
export function pageOf(self: unknown, page: string, id: string): string | undefined {
  const address = webPages(self)[0];
  const end = address?.indexOf('/rest/') ?? -1;
  if (address === undefined || end < 0) return undefined;
  return webPages(`${address.slice(0, end)}/${page}${encodeURIComponent(id.toWellFormed())}`)[0];
}

import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { personNode, repositoryPath } from '../references.ts';
import { cutText, pathSegment, TITLE_CHARACTERS } from '../text.ts';
import type { InboundEvent, ResultLink } from '../types.ts';

/** A delivery with what every family of events reads from it. */
export type Frame = {
  /** Without the action. */
  type: string;
  action: string;
  payload: Members;
  /** The path of the repository, else of the organisation or person. */
  path: string;
  /** Only with a repository. */
  repository: Members | undefined;
  /** Who did it. */
  sender: string | undefined;
  id: string;
};

const MAX_NAMES = 50;
const MAX_NAME = 100;

/** Where events belong that name neither a repository nor an account. */
const COMMON_PATH = 'repos';

export function frameOf(event: InboundEvent): Frame {
  const payload = objectOf(event.payload);
  const repository = payload.repository === undefined ? undefined : objectOf(payload.repository);
  return {
    type: event.event_type.split('.', 1)[0] ?? '',
    action: cutText(textOf(payload.action) ?? '', MAX_NAME),
    payload,
    path: (repository && pathOf(repository)) ?? accountPath(payload),
    repository,
    sender: loginOf(payload.sender),
    id: event.id,
  };
}

/** The path of a repository, if the payload names it. */
export function pathOf(repository: Members): string | undefined {
  const [owner, ...rest] = (textOf(repository.full_name) ?? '').split('/', 3);
  if (owner && rest.length === 1 && rest[0]) return repositoryPath(owner, rest[0]);
  const name = textOf(repository.name);
  const login = loginOf(repository.owner);
  return name !== undefined && login !== undefined ? repositoryPath(login, name) : undefined;
}

/** The account that an event without a repository is about. */
function accountPath(payload: Members): string {
  const account =
    loginOf(payload.organization) ??
    loginOf(objectOf(payload.installation).account) ??
    loginOf(payload.account) ??
    loginOf(objectOf(payload.sponsorship).sponsorable) ??
    loginOf(objectOf(payload.marketplace_purchase).account) ??
    loginOf(payload.sender);
  return account === undefined ? COMMON_PATH : `${COMMON_PATH}/${pathSegment(account)}`;
}

/** The name of a person, of a team, or of an author that git names. */
export function loginOf(value: unknown): string | undefined {
  const { login, username, slug, name } = objectOf(value);
  const text = textOf(login) ?? textOf(username) ?? textOf(slug) ?? textOf(name);
  return text === undefined ? undefined : cutText(text, MAX_NAME);
}

export const loginsOf = (values: unknown): string[] => namesOf(values, loginOf);

export const labelsOf = (values: unknown): string[] =>
  namesOf(values, (label) => {
    const name = textOf(objectOf(label).name) ?? textOf(label);
    return name === undefined ? undefined : cutText(name, MAX_NAME);
  });

function namesOf(values: unknown, nameOf: (value: unknown) => string | undefined): string[] {
  const names = listOf(values).slice(0, MAX_NAMES).map(nameOf);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Edges to people on GitHub. Names that are not known are left out. */
export const linksTo = (relation: string, ...logins: readonly (string | undefined)[]): ResultLink[] =>
  logins.filter((login) => login !== undefined).map((login) => ({ relation, to: personNode('github', login) }));

/** A text member, cut; null where the sender says that there is none. */
export function bodyOf(value: unknown, max?: number): string | null | undefined {
  const text = textOf(value);
  return text === undefined ? (value === undefined ? undefined : null) : cutText(text, max);
}

/** A short text member, cut. */
export const nameOf = (value: unknown): string | undefined => bodyOf(value, TITLE_CHARACTERS) ?? undefined;

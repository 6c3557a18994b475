import { known, type Members, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, keyOf, latest, pathSegment, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult, ResultItem } from '../types.ts';
import { bodyOf, type Frame, labelsOf, linksTo, loginOf, nameOf } from './frame.ts';

/** What a thing has besides the members that all have. */
type OtherThing = {
  key: string;
  /** The object of the payload with its times and address. */
  source: Members;
  state?: string | undefined;
  title?: string | undefined;
  author?: string | undefined;
  value?: Members;
  body?: unknown;
  items?: EntryResult['items'];
  path?: string;
};

const THINGS = new Map<string, (frame: Frame) => OtherThing | undefined>([
  ['milestone', milestone],
  ['repository', repository],
  ['package', packageOf],
  ['registry_package', packageOf],
  ['branch_protection_rule', protectionRule],
  ['team', team],
  ['page_build', pageBuild],
]);

/** Things that GitHub has few events for. */
export function transformOther(frame: Frame): EntryResult[] {
  const thing = THINGS.get(frame.type)?.(frame);
  return thing === undefined ? [] : [thingResult(frame, thing)];
}

const DELETING = new Set(['deleted', 'transferred']);

export function thingResult(frame: Frame, thing: OtherThing): EntryResult {
  const { source, author, body } = thing;
  const isDeleted = DELETING.has(frame.action) && frame.type !== 'repository';
  const value = { state: thing.state, title: thing.title, author, updated_by: frame.sender, ...thing.value };
  return known({
    operation: 'write' as const,
    entity_path: thing.path ?? frame.path,
    key: thing.key,
    merge: true,
    deleted: isDeleted ? true : undefined,
    occurred_at: timeOfThing(source),
    rank: isDeleted ? 90 : frame.action === 'created' ? 0 : 1,
    value: known({ ...value, updated_at: timeOfThing(source), body: bodyOf(body) ?? undefined }),
    items: thing.items,
    artifact_refs: webPages(source.html_url),
    links: [...linksTo('authored_by', author), ...linksIn([thing.title, textOf(body)], frame.repository && frame.path)],
  });
}

const timeOfThing = (source: Members): string | undefined =>
  latest(timeOf(source.updated_at), timeOf(source.closed_at), timeOf(source.published_at), timeOf(source.created_at));

function milestone({ payload }: Frame): OtherThing | undefined {
  const source = objectOf(payload.milestone);
  const number = textOf(source.number);
  return number === undefined
    ? undefined
    : {
        key: keyOf('milestone', number),
        source,
        state: nameOf(source.state),
        title: nameOf(source.title),
        author: loginOf(source.creator),
        value: known({ due_on: timeOf(source.due_on), closed_at: timeOf(source.closed_at) ?? null }),
        body: source.description,
      };
}

/** The repository itself; its former name where it has another one now. */
function repository({ payload, repository: source, action }: Frame): OtherThing | undefined {
  if (source === undefined) return undefined;
  const isGone = action === 'deleted' || action === 'archived';
  const changes = objectOf(payload.changes);
  const former = nameOf(objectOf(objectOf(changes.repository).name).from);
  const owner = objectOf(objectOf(changes.owner).from);
  return {
    key: 'repository',
    source,
    state: isGone ? action : source.archived === true ? 'archived' : 'active',
    title: nameOf(source.full_name) ?? nameOf(source.name),
    author: loginOf(source.owner),
    value: known({
      visibility: nameOf(source.visibility) ?? (source.private === true ? 'private' : 'public'),
      default_branch: nameOf(source.default_branch),
      former_name: former,
      former_owner: loginOf(owner.user) ?? loginOf(owner.organization),
    }),
    body: source.description,
  };
}

/** A package with its versions. */
function packageOf({ payload }: Frame): OtherThing | undefined {
  const source = objectOf(payload.package ?? payload.registry_package);
  const name = textOf(source.name);
  if (name === undefined) return undefined;
  const version = objectOf(source.package_version);
  const number = nameOf(version.version) ?? nameOf(version.name);
  const at = timeOf(version.created_at) ?? timeOf(source.updated_at);
  const item: ResultItem | undefined =
    at === undefined ? undefined : known({ at, version: number, who: loginOf(version.author) });
  return {
    key: keyOf('package', name),
    source,
    state: 'published',
    title: cutText(`${name} ${number ?? ''}`.trim(), TITLE_CHARACTERS),
    author: loginOf(source.owner),
    value: known({ version: number, package_type: nameOf(source.package_type) ?? nameOf(source.ecosystem) }),
    body: source.description,
    ...(item && number && { items: { versions: { [keyOf('version', number)]: item } } }),
  };
}

const PROTECTION_SETTINGS = (
  'pull_request_reviews_enforcement_level required_approving_review_count dismiss_stale_reviews_on_push require_code_owner_review ' +
  'required_status_checks required_status_checks_enforcement_level strict_required_status_checks_policy admin_enforced ' +
  'signature_requirement_enforcement_level linear_history_requirement_enforcement_level allow_force_pushes_enforcement_level ' +
  'allow_deletions_enforcement_level merge_queue_enforcement_level required_deployments_enforcement_level ' +
  'required_conversation_resolution_level authorized_actors_only authorized_actor_names'
).split(' ');

function protectionRule({ payload }: Frame): OtherThing | undefined {
  const source = objectOf(payload.rule);
  const name = textOf(source.name);
  if (name === undefined) return undefined;
  const settings = PROTECTION_SETTINGS.filter((member) => member in source).map((member) => [
    member,
    settingOf(source[member]),
  ]);
  return {
    key: keyOf('branch-protection', name),
    source,
    state: 'active',
    title: cutText(`protection of ${name}`, TITLE_CHARACTERS),
    value: { settings: Object.fromEntries(settings) },
  };
}

function settingOf(value: unknown): unknown {
  if (Array.isArray(value)) return labelsOf(value);
  if (typeof value === 'string') return cutText(value, 100);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Teams belong to the organisation, also where the event names a repository. */
function team({ payload, action }: Frame): OtherThing | undefined {
  const source = objectOf(payload.team);
  const slug = textOf(source.slug) ?? textOf(source.name);
  if (slug === undefined) return undefined;
  const organization = loginOf(payload.organization);
  const change = payload.repository === undefined ? undefined : nameOf(objectOf(payload.repository).full_name);
  return {
    key: keyOf('team', slug),
    source,
    state: action === 'deleted' ? 'deleted' : 'active',
    title: nameOf(source.name),
    value: known({
      privacy: nameOf(source.privacy),
      permission: nameOf(source.permission),
      last_change: change && cutText(`${action} ${change}`, TITLE_CHARACTERS),
    }),
    body: source.description,
    ...(organization && { path: `repos/${pathSegment(organization)}` }),
  };
}

function pageBuild({ payload }: Frame): OtherThing {
  const source = objectOf(payload.build);
  return {
    key: 'pages',
    source,
    state: nameOf(source.status),
    title: 'site of the repository',
    author: loginOf(source.pusher),
    value: known({ sha: nameOf(source.commit) }),
    body: objectOf(source.error).message,
  };
}

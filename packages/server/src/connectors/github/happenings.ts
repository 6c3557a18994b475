import { listOf, objectOf, textOf } from '../members.ts';
import { cutText, oneLine } from '../text.ts';
import type { ContextResult } from '../types.ts';
import { type Frame, loginOf } from './frame.ts';

const MAX_LISTED = 10;

type Wording = (frame: Frame) => string;

const actionOf = ({ action }: Frame): string => (action || 'changed').replaceAll('_', ' ');
const named = (value: unknown): string => {
  const { title, name, full_name, login, id } = objectOf(value);
  return cutText(textOf(title) ?? textOf(full_name) ?? textOf(name) ?? textOf(login) ?? textOf(id) ?? 'one', 100);
};
const listed = (values: unknown): string => listOf(values).slice(0, MAX_LISTED).map(named).join(', ') || 'none';

/** What the sender of an event did, in the words that follow the name. */
const SENTENCES: Readonly<Record<string, Wording>> = {
  custom_property: (frame) =>
    `${actionOf(frame)} the property ${named({ name: objectOf(frame.payload.definition).property_name })}`,
  custom_property_values: () => 'changed the properties of the repository',
  deploy_key: (frame) => `${actionOf(frame)} the deploy key ${named(frame.payload.key)}`,
  fork: ({ payload }) => `forked it as ${named(payload.forkee)}`,
  github_app_authorization: (frame) => `${actionOf(frame)} the authorization of an app`,
  installation: (frame) => `${actionOf(frame)} the installation of an app on ${listed(frame.payload.repositories)}`,
  installation_repositories: ({ action, payload }) =>
    action === 'removed'
      ? `took ${listed(payload.repositories_removed)} from an app`
      : `gave an app access to ${listed(payload.repositories_added)}`,
  label: (frame) => `${actionOf(frame)} the label ${named(frame.payload.label)}`,
  marketplace_purchase: (frame) =>
    `${actionOf(frame)} the plan ${named(objectOf(frame.payload.marketplace_purchase).plan)}`,
  member: (frame) => `${actionOf(frame)} ${named(frame.payload.member)} as a collaborator`,
  membership: (frame) => `${actionOf(frame)} ${named(frame.payload.member)}, team ${named(frame.payload.team)}`,
  merge_group: (frame) =>
    `changed a merge group: ${actionOf(frame)}, ${named({ name: objectOf(frame.payload.merge_group).head_ref })}`,
  meta: (frame) => `${actionOf(frame)} a webhook`,
  org_block: (frame) => `${actionOf(frame)} ${named(frame.payload.blocked_user)}`,
  organization: (frame) => {
    const { membership, invitation, organization } = frame.payload;
    return `changed the organization: ${actionOf(frame)}, ${named(objectOf(membership).user ?? invitation ?? organization)}`;
  },
  ping: () => 'connected a webhook',
  project: (frame) => `${actionOf(frame)} the project ${named(frame.payload.project)}`,
  project_card: (frame) => `${actionOf(frame)} the card ${named({ name: objectOf(frame.payload.project_card).note })}`,
  project_column: (frame) => `${actionOf(frame)} the column ${named(frame.payload.project_column)}`,
  projects_v2: (frame) => `${actionOf(frame)} the project ${named(frame.payload.projects_v2)}`,
  projects_v2_item: (frame) =>
    `${actionOf(frame)} an item of a project (${named({ name: objectOf(frame.payload.projects_v2_item).content_type })})`,
  public: () => 'made the repository public',
  repository_dispatch: (frame) => `sent the event ${actionOf(frame)}`,
  repository_import: ({ payload }) => `imported a repository: ${named({ name: payload.status })}`,
  sponsorship: (frame) =>
    `${actionOf(frame)} the sponsorship of ${named(objectOf(frame.payload.sponsorship).sponsorable)}`,
  star: ({ action }) => (action === 'deleted' ? 'removed a star' : 'starred it'),
  sub_issues: (frame) =>
    `changed an issue: ${actionOf(frame)}, ${named(frame.payload.sub_issue)} is part of ${named(frame.payload.parent_issue)}`,
  team_add: ({ payload }) => `gave the team ${named(payload.team)} access`,
  watch: () => 'watches it',
  workflow_dispatch: ({ payload }) => `started the workflow ${named({ name: payload.workflow })}`,
};

const sentences = new Map(Object.entries(SENTENCES));

/** Something that happened and leaves no state behind. */
export function transformHappening(frame: Frame): ContextResult[] {
  const { type, action, path, sender, payload } = frame;
  const words = sentences.get(type)?.(frame) ?? `changed ${type.replaceAll('_', ' ')}: ${actionOf(frame)}`;
  const who = sender ?? loginOf(payload.organization) ?? 'GitHub';
  const where = path.slice(path.indexOf('/') + 1);
  return [
    {
      operation: 'record_context',
      label: oneLine(action === '' ? type : `${type}.${action}`, 200) || 'event',
      summary: oneLine(`${who} ${words} (${where})`),
      source: 'github',
      entity_path: path,
    },
  ];
}

import { labelOf } from '../labels.ts';
import { known, type Members, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { keyOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { documentText } from './adf.ts';
import { actionOf, type JiraEvent } from './event.ts';
import { pageOf, personLinks, ROOT_PATH, thingOf, versionPlace } from './names.ts';

const RANKS = new Map(
  Object.entries({
    'jira:version_created': 10,
    'jira:version_released': 30,
    'jira:version_unreleased': 35,
    'jira:version_merged': 40,
    'jira:version_deleted': 90,
  }),
);

/** A version of a project: what was released, and when. */
export function versionResult(event: JiraEvent): EntryResult | undefined {
  const { payload, occurred_at, type } = event;
  const version = objectOf(payload.version);
  const id = textOf(version.id) ?? textOf(version.name);
  if (id === undefined) return undefined;
  const project = textOf(version.projectKey) ?? textOf(version.project) ?? textOf(objectOf(payload.project).key);
  const place = versionPlace(version.projectId, project);
  const url = textOf(version.id) === undefined ? undefined : pageOf(version.self, 'browse/fixforversion/', id);
  return {
    operation: 'write',
    ...(place ?? { entity_path: ROOT_PATH, unplaced: true }),
    key: keyOf('version', id),
    thing: thingOf('version', id, version.self),
    merge: true,
    value: known({
      ...stateOf(version),
      last_event: actionOf(type),
      ...detailsOf(version, payload),
      url,
      description: descriptionOf(version),
    }),
    ...(occurred_at !== undefined && { occurred_at }),
    rank: RANKS.get(type) ?? 20,
    ...(type === 'jira:version_deleted' && { deleted: true }),
    artifact_refs: webPages(url),
    links: [...personLinks('changed_by', event.user), ...linksIn([textOf(version.name), textOf(version.description)])],
  };
}

function stateOf({ archived, released, name }: Members): Members {
  const state = archived === true ? 'archived' : released === true ? 'released' : 'unreleased';
  const isKnown = typeof archived === 'boolean' || typeof released === 'boolean';
  return {
    state: isKnown ? state : undefined,
    name: labelOf(name),
    released: typeof released === 'boolean' ? released : undefined,
  };
}

function detailsOf(version: Members, payload: Members): Members {
  const merged = objectOf(payload.mergedTo);
  return {
    release_date: labelOf(version.releaseDate) ?? labelOf(version.userReleaseDate),
    start_date: labelOf(version.startDate) ?? labelOf(version.userStartDate),
    overdue: typeof version.overdue === 'boolean' ? version.overdue : undefined,
    project_id: textOf(version.projectId)?.slice(0, 100),
    merged_into: labelOf(merged.name) ?? labelOf(merged.id),
  };
}

const descriptionOf = (version: Members): string | null | undefined =>
  Object.hasOwn(version, 'description') ? (documentText(version.description) ?? null) : undefined;

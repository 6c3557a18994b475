import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { entryNode, jiraIssueNode, linksIn } from '../references.ts';
import { keyOf } from '../text.ts';
import type { ResultLink } from '../types.ts';
import { formerKey } from './changes.ts';
import { commentAuthors, commentText } from './comments.ts';
import type { JiraEvent } from './event.ts';
import { personLinks, projectKeyOf, versionPlace } from './names.ts';
import { sprintLinks, sprintsOf } from './sprint-field.ts';

const MAX_LINKS = 50;

/** People, other issues, sprints and versions that an event connects an issue with. */
export function issueLinks(event: JiraEvent, description: string | null | undefined): ResultLink[] {
  const fields = objectOf(event.issue.fields);
  const former = formerKey(event);
  const key = textOf(event.issue.key);
  const project = textOf(objectOf(fields.project).key) ?? (key === undefined ? undefined : projectKeyOf(key));
  const links = [
    ...personLinks('assigned_to', fields.assignee),
    ...personLinks('reported_by', fields.reporter),
    ...personLinks('changed_by', event.user),
    ...personLinks('commented_by', ...commentAuthors(event)),
    ...toIssue('child_of', objectOf(fields.parent).key),
    ...listOf(fields.issuelinks).slice(0, MAX_LINKS).map(objectOf).flatMap(linkedIssue),
    ...sprintLinks(sprintsOf(fields), project),
    ...versionLinks(fields, project),
    ...(former === undefined ? [] : toIssue('moved_from', former)),
    ...linksIn([textOf(fields.summary), commentText(event), description ?? undefined]),
  ];
  return [...new Map(links.map((link) => [`${link.relation} ${link.to}`, link])).values()];
}

function toIssue(relation: string, key: unknown): ResultLink[] {
  const text = textOf(key);
  return text === undefined || !/^[^\s/]{1,100}-\d{1,12}$/.test(text) ? [] : [{ relation, to: jiraIssueNode(text) }];
}

/** `is blocked by` becomes `is_blocked_by`. */
function linkedIssue({ type, inwardIssue, outwardIssue }: Members): ResultLink[] {
  const { inward, outward } = objectOf(type);
  return [
    ...toIssue(relationOf(outward), objectOf(outwardIssue).key),
    ...toIssue(relationOf(inward), objectOf(inwardIssue).key),
  ];
}

function relationOf(words: unknown): string {
  const relation = (textOf(words) ?? '')
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return relation === '' ? 'relates_to' : relation;
}

function versionLinks(fields: Members, project: string | undefined): ResultLink[] {
  const place = versionPlace(objectOf(fields.project).id, project);
  return listOf(fields.fixVersions)
    .slice(0, MAX_LINKS)
    .flatMap((version) => {
      const id = textOf(objectOf(version).id);
      return place === undefined || id === undefined
        ? []
        : [{ relation: 'fixed_in', to: entryNode(place.entity_path, keyOf('version', id)) }];
    });
}

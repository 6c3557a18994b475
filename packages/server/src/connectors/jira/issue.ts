import { listsOf } from '../items.ts';
import { labelOf } from '../labels.ts';
import { known, type Members, objectOf, textOf } from '../members.ts';
import { jiraIssueNode, webPages } from '../references.ts';
import { keyOf, timeOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { documentText } from './adf.ts';
import { changesOf, formerKey, transitionItems } from './changes.ts';
import { commentsOf } from './comments.ts';
import type { JiraEvent } from './event.ts';
import { issueLinks } from './issue-links.ts';
import { nameIn, namesIn, pageOf, personIn, personName, projectKeyOf, projectPath, thingOf } from './names.ts';
import { currentSprint, sprintsOf } from './sprint-field.ts';

/** An issue as the event shows it. One without a number cannot move: the entry that it had in another project ends. */
export function issueResults(event: JiraEvent): EntryResult[] {
  const key = textOf(event.issue.key);
  if (key === undefined) return [];
  const former = formerKey(event);
  const write = issueWrite(event, key);
  return former === undefined || write.thing !== undefined
    ? [write]
    : [write, { ...placeOf(former), ...orderOf(event), value: { moved_to: key }, deleted: true }];
}

function issueWrite(event: JiraEvent, key: string): EntryResult {
  const { issue } = event;
  const fields = objectOf(issue.fields);
  const comments = commentsOf(event);
  const description = descriptionOf(fields);
  const url = pageOf(issue.self, 'browse/', key);
  const id = textOf(issue.id);
  return {
    ...placeOf(key),
    ...(id !== undefined && { thing: thingOf('issue', id, issue.self) }),
    merge: true,
    value: known({
      key: labelOf(key),
      ...stateOf(event, fields),
      ...detailsOf(fields),
      updated_at: timeOf(fields.updated) ?? event.occurred_at,
      updated_by: personName(event.user),
      moved_from: formerKey(event),
      url,
      description,
      comments: comments.whole,
    }),
    items: listsOf({ transitions: transitionItems(event), comments: comments.items }),
    ...orderOf(event),
    ...(event.type === 'jira:issue_deleted' && { deleted: true }),
    artifact_refs: webPages(url),
    links: issueLinks(event, description).filter(({ to }) => to !== jiraIssueNode(key)),
  };
}

/** Texts name an issue by its key alone: its path follows from that too. */
const placeOf = (key: string) => ({
  operation: 'write' as const,
  entity_path: projectPath(projectKeyOf(key)),
  key: keyOf('issue', key),
});

const RANKS = new Map(
  Object.entries({
    'jira:issue_created': 10,
    comment_created: 15,
    comment_updated: 16,
    comment_deleted: 17,
    'jira:issue_updated': 20,
    'jira:issue_deleted': 90,
  }),
);

function orderOf({ type, occurred_at }: JiraEvent): { occurred_at?: string; rank: number } {
  const rank = RANKS.get(type) ?? 12;
  return occurred_at === undefined ? { rank } : { occurred_at, rank };
}

function stateOf(event: JiraEvent, fields: Members): Members {
  const sprint = changesOf(event).find(({ field }) => field === 'sprint');
  return {
    status: nameIn(fields, 'status'),
    summary: labelOf(fields.summary),
    type: nameIn(fields, 'issuetype'),
    priority: nameIn(fields, 'priority'),
    resolution: nameIn(fields, 'resolution'),
    assignee: personIn(fields, 'assignee'),
    reporter: personIn(fields, 'reporter'),
    labels: namesIn(fields, 'labels'),
    components: namesIn(fields, 'components'),
    sprint: sprint ? (sprint.to ?? null) : currentSprint(sprintsOf(fields)),
    fix_versions: namesIn(fields, 'fixVersions'),
  };
}

function detailsOf(fields: Members): Members {
  return {
    status_category: labelOf(objectOf(objectOf(fields.status).statusCategory).name),
    project: labelOf(objectOf(fields.project).name),
    parent: labelOf(objectOf(fields.parent).key),
    affected_versions: namesIn(fields, 'versions'),
    created_at: timeOf(fields.created),
    resolved_at: Object.hasOwn(fields, 'resolutiondate') ? (timeOf(fields.resolutiondate) ?? null) : undefined,
    due_date: Object.hasOwn(fields, 'duedate') ? (labelOf(fields.duedate) ?? null) : undefined,
  };
}

const descriptionOf = (fields: Members): string | null | undefined =>
  Object.hasOwn(fields, 'description') ? (documentText(fields.description) ?? null) : undefined;

import { known, type Members, numberOf, objectOf, textOf } from '../members.ts';
import { entryNode, linksIn, webPages } from '../references.ts';
import { keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult, ResultLink } from '../types.ts';
import { bodyOf, type Frame, labelsOf, linksTo, loginOf, loginsOf, pathOf } from './frame.ts';
import { commentPart, stateOf, threadRank } from './pull-requests.ts';

/** Nothing of the same second comes after these. */
const LAST_RANK = 90;

/** An issue, or the pull request that a comment belongs to: GitHub sends it as an issue then. */
export function transformIssue(frame: Frame): EntryResult[] {
  const { payload, action, type } = frame;
  const issue = objectOf(payload.issue);
  const number = textOf(issue.number);
  if (number === undefined) return [];
  const isRequest = typeof issue.pull_request === 'object' && issue.pull_request !== null;
  const part = type === 'issue_comment' ? commentPart(frame) : { at: undefined, links: [] };
  const isGone = type === 'issues' && (action === 'deleted' || action === 'transferred');
  const state = isRequest ? requestState(issue) : textOf(issue.state);
  return [
    known({
      operation: 'write' as const,
      entity_path: frame.path,
      key: keyOf(isRequest ? 'pr' : 'issue', number),
      merge: true,
      deleted: type === 'issues' && action === 'deleted' ? true : undefined,
      occurred_at: latest(timeOf(issue.updated_at), part.at),
      rank: isGone ? LAST_RANK : threadRank(state, action),
      value: membersOf(frame, issue, isGone ? action : state),
      items: part.items,
      artifact_refs: webPages(issue.html_url),
      links: [...linksOf(frame, issue), ...part.links],
    }),
  ];
}

function requestState(issue: Members): string | undefined {
  const request = objectOf(issue.pull_request);
  return stateOf({ ...request, state: issue.state, draft: issue.draft }, false);
}

function membersOf({ sender }: Frame, issue: Members, state: string | undefined): Members {
  return known({
    state,
    title: bodyOf(issue.title, TITLE_CHARACTERS),
    author: loginOf(issue.user),
    updated_by: sender,
    updated_at: timeOf(issue.updated_at),
    number: numberOf(issue.number),
    reason: issue.pull_request || !('state_reason' in issue) ? undefined : bodyOf(issue.state_reason, TITLE_CHARACTERS),
    type: textOf(objectOf(issue.type).name),
    labels: issue.labels === undefined ? undefined : labelsOf(issue.labels),
    assignees: issue.assignees === undefined ? undefined : loginsOf(issue.assignees),
    milestone: 'milestone' in issue ? bodyOf(objectOf(issue.milestone).title ?? null, TITLE_CHARACTERS) : undefined,
    created_at: timeOf(issue.created_at),
    closed_at: 'closed_at' in issue ? (timeOf(issue.closed_at) ?? null) : undefined,
    body: bodyOf(issue.body),
  });
}

function linksOf(frame: Frame, issue: Members): ResultLink[] {
  return [
    ...linksTo('authored_by', loginOf(issue.user)),
    ...linksTo('assigned_to', ...loginsOf(issue.assignees)),
    ...linksTo('closed_by', frame.type === 'issues' && frame.action === 'closed' ? frame.sender : undefined),
    ...moveOf(frame, 'issue'),
    ...linksIn([textOf(issue.title), textOf(issue.body)], frame.path),
  ];
}

/** What was moved has a number of its own in each repository. */
function moveOf({ payload }: Frame, kind: 'issue' | 'discussion'): ResultLink[] {
  const changes = objectOf(payload.changes);
  const ends = [
    { relation: 'moved_to', repository: changes.new_repository, thing: changes[`new_${kind}`] },
    { relation: 'moved_from', repository: changes.old_repository, thing: changes[`old_${kind}`] },
  ];
  return ends.flatMap(({ relation, repository, thing }) => {
    const path = pathOf(objectOf(repository));
    const number = textOf(objectOf(thing).number);
    return path && number ? [{ relation, to: entryNode(path, keyOf(kind, number)) }] : [];
  });
}

/** A discussion, and the comment that the event is about. */
export function transformDiscussion(frame: Frame): EntryResult[] {
  const { payload, action, type } = frame;
  const discussion = objectOf(payload.discussion);
  const number = textOf(discussion.number);
  if (number === undefined) return [];
  const part = type === 'discussion_comment' ? commentPart(frame) : { at: undefined, links: [] };
  const isDeleted = type === 'discussion' && action === 'deleted';
  const isMoved = type === 'discussion' && action === 'transferred';
  const state = isMoved ? action : textOf(discussion.state);
  return [
    known({
      operation: 'write' as const,
      entity_path: frame.path,
      key: keyOf('discussion', number),
      merge: true,
      deleted: isDeleted ? true : undefined,
      occurred_at: latest(timeOf(discussion.updated_at), part.at),
      rank: isDeleted || isMoved ? LAST_RANK : threadRank(state, action),
      value: discussionValue(frame, discussion, state),
      items: part.items,
      artifact_refs: webPages(discussion.html_url),
      links: [
        ...linksTo('authored_by', loginOf(discussion.user)),
        ...linksTo('answered_by', loginOf(objectOf(payload.answer).user)),
        ...moveOf(frame, 'discussion'),
        ...linksIn([textOf(discussion.title), textOf(discussion.body)], frame.path),
        ...part.links,
      ],
    }),
  ];
}

const discussionValue = ({ sender }: Frame, discussion: Members, state: string | undefined): Members =>
  known({
    state,
    title: bodyOf(discussion.title, TITLE_CHARACTERS),
    author: loginOf(discussion.user),
    updated_by: sender,
    updated_at: timeOf(discussion.updated_at),
    number: numberOf(discussion.number),
    category: textOf(objectOf(discussion.category).name),
    answered: 'answer_chosen_at' in discussion ? timeOf(discussion.answer_chosen_at) !== undefined : undefined,
    labels: discussion.labels === undefined ? undefined : labelsOf(discussion.labels),
    created_at: timeOf(discussion.created_at),
    body: bodyOf(discussion.body),
  });

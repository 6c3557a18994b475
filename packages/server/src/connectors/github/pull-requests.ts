import { known, listOf, type Members, numberOf, objectOf, textOf } from '../members.ts';
import { commitNode, isCommitSha, linksIn, webPages } from '../references.ts';
import { cutText, ITEM_CHARACTERS, keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult, ResultItem, ResultLink } from '../types.ts';
import { commentItem } from './comments.ts';
import { bodyOf, type Frame, labelsOf, linksTo, loginOf, loginsOf, nameOf } from './frame.ts';

/** What happened in the same second is ordered by the state that it led to, then by the action. */
const STATE_RANKS = new Map(Object.entries({ closed: 10, reopened: 20, merged: 30 }));
const ACTION_RANKS = new Map(
  Object.entries({ opened: 0, created: 0, submitted: 0, edited: 2, dismissed: 3, deleted: 4 }),
);

export const threadRank = (state: string | undefined, action: string): number =>
  (STATE_RANKS.get(action === 'reopened' ? action : (state ?? '')) ?? 0) + (ACTION_RANKS.get(action) ?? 1);

/** A pull request, and the review, comment or thread that the event is about. */
export function transformPullRequest(frame: Frame): EntryResult[] {
  const { payload, action } = frame;
  const request = objectOf(payload.pull_request);
  const number = textOf(request.number) ?? textOf(payload.number);
  if (number === undefined) return [];
  const state = stateOf(request, frame.type === 'pull_request');
  const part = partOf(frame, request);
  return [
    known({
      operation: 'write' as const,
      entity_path: frame.path,
      key: keyOf('pr', number),
      merge: true,
      occurred_at: latest(timeOf(request.updated_at), part.at),
      rank: threadRank(state, action),
      value: membersOf(frame, request, state),
      items: part.items,
      artifact_refs: webPages(request.html_url, request.patch_url),
      links: [...linksOf(frame, request, state), ...part.links],
    }),
  ];
}

/** Undefined where the payload does not say whether it is a draft, or was merged. */
export function stateOf(request: Members, isWhole: boolean): string | undefined {
  if (request.merged === true || timeOf(request.merged_at) !== undefined) return 'merged';
  if (request.state === 'closed') return 'merged_at' in request || isWhole ? 'closed' : undefined;
  if (request.state !== 'open') return undefined;
  if (request.draft === true) return 'draft';
  return request.draft === false || isWhole ? 'open' : undefined;
}

/** Whose event it is that closes a merged request has merged it. */
function mergerOf({ action, sender }: Frame, request: Members, state: string | undefined): string | undefined {
  if (state !== 'merged') return undefined;
  return loginOf(request.merged_by) ?? (action === 'closed' ? sender : undefined);
}

function membersOf(frame: Frame, request: Members, state: string | undefined): Members {
  const { head, base } = { head: objectOf(request.head), base: objectOf(request.base) };
  return known({
    state,
    title: bodyOf(request.title, TITLE_CHARACTERS),
    author: loginOf(request.user),
    merged_by: mergerOf(frame, request, state),
    updated_by: frame.sender,
    updated_at: timeOf(request.updated_at),
    number: numberOf(request.number),
    base: nameOf(base.ref),
    head: nameOf(head.ref),
    sha: nameOf(head.sha),
    merge_sha: state === 'merged' ? nameOf(request.merge_commit_sha) : undefined,
    diff: diffOf(request),
    labels: request.labels === undefined ? undefined : labelsOf(request.labels),
    assignees: request.assignees === undefined ? undefined : loginsOf(request.assignees),
    reviewers: reviewersOf(request),
    milestone: 'milestone' in request ? bodyOf(objectOf(request.milestone).title ?? null, TITLE_CHARACTERS) : undefined,
    created_at: timeOf(request.created_at),
    closed_at: 'closed_at' in request ? (timeOf(request.closed_at) ?? null) : undefined,
    merged_at: timeOf(request.merged_at),
    body: bodyOf(request.body),
  });
}

function diffOf({ additions, deletions, changed_files, commits }: Members): Members | undefined {
  if (numberOf(additions) === undefined || numberOf(deletions) === undefined) return undefined;
  return known({
    additions: numberOf(additions),
    deletions: numberOf(deletions),
    changed_files: numberOf(changed_files),
    commits: numberOf(commits),
  });
}

/** People and teams whose review is asked for and not yet given. */
function reviewersOf({ requested_reviewers, requested_teams }: Members): string[] | undefined {
  if (requested_reviewers === undefined) return undefined;
  return [...loginsOf(requested_reviewers), ...loginsOf(requested_teams)];
}

function linksOf(frame: Frame, request: Members, state: string | undefined): ResultLink[] {
  const { path } = frame;
  const commits = [
    { relation: 'has_commit', sha: textOf(objectOf(request.head).sha) },
    { relation: 'merged_as', sha: state === 'merged' ? textOf(request.merge_commit_sha) : undefined },
  ];
  return [
    ...linksTo('authored_by', loginOf(request.user)),
    ...linksTo('merged_by', mergerOf(frame, request, state)),
    ...linksTo('assigned_to', ...loginsOf(request.assignees)),
    ...linksTo('review_requested_from', ...loginsOf(request.requested_reviewers)),
    ...commits.flatMap(({ relation, sha }) =>
      sha && isCommitSha(sha) ? [{ relation, to: commitNode(path, sha) }] : [],
    ),
    ...linksIn([textOf(request.title), textOf(objectOf(request.head).ref), textOf(request.body)], path),
  ];
}

type ThreadPart = { at: string | undefined; items?: EntryResult['items']; links: ResultLink[] };

function partOf(frame: Frame, request: Members): ThreadPart {
  if (frame.type === 'pull_request_review') return reviewPart(frame);
  if (frame.type === 'pull_request_review_comment') return commentPart(frame, 'review-');
  if (frame.type === 'pull_request_review_thread') return threadPart(frame, request);
  return { at: undefined, links: [] };
}

function reviewPart({ payload, action }: Frame): ThreadPart {
  const review = objectOf(payload.review);
  const id = textOf(review.id);
  const at = timeOf(review.submitted_at);
  const who = loginOf(review.user);
  const links = linksTo('reviewed_by', who);
  if (id === undefined || at === undefined) return { at, links };
  const text = textOf(review.body);
  const item: ResultItem = known({
    at,
    state: action === 'dismissed' ? 'dismissed' : textOf(review.state)?.toLowerCase(),
    who,
    sha: nameOf(review.commit_id),
    text: text === undefined ? undefined : cutText(text, ITEM_CHARACTERS),
  });
  return { at: latest(at, timeOf(review.updated_at)), links, items: { reviews: { [keyOf('review', id)]: item } } };
}

/** The comment of an event as an item of the list of comments. */
export function commentPart({ payload, action }: Frame, prefix = ''): ThreadPart {
  const { id, at, item } = commentItem(payload.comment, action);
  const links = linksTo('commented_by', loginOf(objectOf(payload.comment).user));
  if (id === undefined || item === undefined) return { at, links };
  return { at, links, items: { comments: { [`${prefix}${id}`]: action === 'deleted' ? null : item } } };
}

function threadPart({ payload, action, sender }: Frame, request: Members): ThreadPart {
  const thread = objectOf(payload.thread);
  const first = commentItem(listOf(thread.comments)[0]);
  const at = latest(timeOf(payload.updated_at), timeOf(request.updated_at));
  if (first.id === undefined || first.item === undefined || at === undefined) return { at, links: [] };
  const item: ResultItem = known({ at, state: action, who: sender, path: first.item.path, text: first.item.text });
  return { at, links: linksTo('reviewed_by', sender), items: { threads: { [first.id]: item } } };
}

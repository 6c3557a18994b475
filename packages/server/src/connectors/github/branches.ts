import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import { commitNode, isCommitSha, linksIn, webPages } from '../references.ts';
import { firstLine, ITEM_CHARACTERS, keyOf, timeOf, timeOfSeconds } from '../text.ts';
import type { EntryResult, ResultItem, ResultLink } from '../types.ts';
import { type Frame, linksTo, loginOf, nameOf } from './frame.ts';

/** A push may bring 2,048 commits; lists keep 200 items. */
const MAX_COMMITS = 200;
const MAX_COMMIT_LINKS = 20;
const DELETED_RANK = 90;

type GitRef = { kind: 'branch' | 'tag'; name: string };

/** A branch or tag with its head, and the commits of the push. */
export function transformPush(frame: Frame): EntryResult[] {
  const { payload, path } = frame;
  const ref = refOf(textOf(payload.ref), 'branch');
  if (!ref) return [];
  const commits = listOf(payload.commits).slice(-MAX_COMMITS).map(objectOf);
  const isDeleted = payload.deleted === true;
  return [
    known({
      ...refResult(frame, ref),
      rank: isDeleted ? DELETED_RANK : 1,
      deleted: isDeleted ? true : undefined,
      value: pushValue(frame, isDeleted),
      items: commits.length > 0 ? { commits: commitItems(commits) } : undefined,
      links: [...linksTo('pushed_by', frame.sender ?? loginOf(payload.pusher)), ...commitLinks(path, payload, commits)],
    }),
  ];
}

/** A branch or tag that was created or deleted. The push of the same change, if it comes, has the head too. */
export function transformRef(frame: Frame): EntryResult[] {
  const { payload, type, sender } = frame;
  const ref = refOf(textOf(payload.ref), payload.ref_type === 'tag' ? 'tag' : 'branch');
  if (!ref) return [];
  const isDeleted = type === 'delete';
  const value = known({ state: isDeleted ? 'deleted' : 'active', created_by: isDeleted ? undefined : sender });
  return [
    known({
      ...refResult(frame, ref),
      rank: isDeleted ? DELETED_RANK : 0,
      deleted: isDeleted ? true : undefined,
      value,
      links: [
        ...linksTo(isDeleted ? 'deleted_by' : 'created_by', sender),
        ...linksIn(isDeleted ? [] : [ref.name], frame.path),
      ],
    }),
  ];
}

function refOf(text: string | undefined, kind: GitRef['kind']): GitRef | undefined {
  if (text === undefined) return undefined;
  if (text.startsWith('refs/tags/')) return nonEmpty({ kind: 'tag', name: text.slice('refs/tags/'.length) });
  return nonEmpty({ kind, name: text.startsWith('refs/heads/') ? text.slice('refs/heads/'.length) : text });
}

const nonEmpty = (ref: GitRef): GitRef | undefined => (ref.name.trim() === '' ? undefined : ref);

function refResult({ path, repository = {} }: Frame, { kind, name }: GitRef) {
  const page = textOf(repository.html_url);
  return {
    operation: 'write' as const,
    entity_path: path,
    key: keyOf(kind, name),
    merge: true,
    // Seconds in a push, a text in the other events.
    occurred_at: timeOfSeconds(repository.pushed_at) ?? timeOf(repository.pushed_at),
    artifact_refs: webPages(page && `${page}/tree/${encodeURIComponent(name.toWellFormed()).replaceAll('%2F', '/')}`),
  };
}

function pushValue({ payload, repository = {}, sender }: Frame, isDeleted: boolean): Members {
  const head = objectOf(payload.head_commit);
  const message = textOf(head.message);
  return known({
    state: isDeleted ? 'deleted' : 'active',
    title: message && firstLine(message),
    author: sender ?? loginOf(payload.pusher),
    pushed_at: timeOfSeconds(repository.pushed_at) ?? timeOf(repository.pushed_at),
    sha: isDeleted ? undefined : nameOf(payload.after),
    before: nameOf(payload.before),
    forced: payload.forced === true,
    pushed_commits: listOf(payload.commits).length,
    compare: nameOf(payload.compare),
  });
}

function commitItems(commits: readonly Members[]): Record<string, ResultItem> {
  const items: Record<string, ResultItem> = {};
  for (const commit of commits) {
    const sha = textOf(commit.id) ?? textOf(commit.sha);
    const at = timeOf(commit.timestamp);
    if (sha === undefined || at === undefined) continue;
    const text = firstLine(textOf(commit.message) ?? '', ITEM_CHARACTERS);
    items[keyOf('commit', sha)] = known({ at, who: loginOf(commit.author), text });
  }
  return items;
}

function commitLinks(path: string, payload: Members, commits: readonly Members[]): ResultLink[] {
  const named = [payload.after, ...commits.map(({ id }) => id).reverse()].map(textOf);
  const shas = new Set(named.filter((sha) => sha !== undefined && isCommitSha(sha)));
  const authors = new Set(commits.map(({ author }) => textOf(objectOf(author).username)));
  return [
    ...[...shas].slice(0, MAX_COMMIT_LINKS).map((sha) => ({ relation: 'has_commit', to: commitNode(path, sha ?? '') })),
    ...linksTo('authored_by', ...[...authors].slice(0, MAX_COMMIT_LINKS)),
    ...linksIn([textOf(payload.ref), ...commits.map(({ message }) => textOf(message))], path),
  ];
}

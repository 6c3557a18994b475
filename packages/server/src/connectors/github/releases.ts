import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import { entryNode, linksIn, webPages } from '../references.ts';
import { keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { bodyOf, type Frame, linksTo, loginOf } from './frame.ts';

const RANKS = new Map(Object.entries({ created: 0, edited: 2, unpublished: 3, deleted: 90 }));
/** Their time is in the payload; the other changes of older payloads have none. */
const TIMED_ACTIONS = new Set(['created', 'published', 'released', 'prereleased']);
const MAX_ASSETS = 50;

export function transformRelease(frame: Frame): EntryResult[] {
  const { payload, action, path } = frame;
  const release = objectOf(payload.release);
  const tag = textOf(release.tag_name) ?? textOf(release.id);
  if (tag === undefined) return [];
  const updated = timeOf(release.updated_at);
  const isTimed = updated !== undefined || TIMED_ACTIONS.has(action);
  return [
    known({
      operation: 'write' as const,
      entity_path: path,
      key: keyOf('release', tag),
      merge: true,
      deleted: action === 'deleted' ? true : undefined,
      occurred_at: isTimed ? latest(updated, timeOf(release.published_at), timeOf(release.created_at)) : undefined,
      rank: RANKS.get(action) ?? 1,
      value: membersOf(frame, release),
      artifact_refs: webPages(release.html_url),
      links: [
        ...linksTo('authored_by', loginOf(release.author)),
        { relation: 'has_tag', to: entryNode(path, keyOf('tag', tag)) },
        ...linksIn([textOf(release.name), textOf(release.body)], path),
      ],
    }),
  ];
}

function membersOf({ action, sender }: Frame, release: Members): Members {
  const isDraft = release.draft === true || action === 'unpublished';
  return known({
    state:
      action === 'deleted' ? 'deleted' : isDraft ? 'draft' : release.prerelease === true ? 'prerelease' : 'published',
    title: bodyOf(release.name, TITLE_CHARACTERS) ?? bodyOf(release.tag_name, TITLE_CHARACTERS),
    author: loginOf(release.author),
    updated_by: sender,
    published_at: timeOf(release.published_at),
    tag: bodyOf(release.tag_name, TITLE_CHARACTERS),
    target: bodyOf(release.target_commitish, TITLE_CHARACTERS),
    created_at: timeOf(release.created_at),
    assets: listOf(release.assets)
      .slice(0, MAX_ASSETS)
      .map((asset) => bodyOf(objectOf(asset).name, TITLE_CHARACTERS))
      .filter((name) => typeof name === 'string'),
    body: bodyOf(release.body),
  });
}

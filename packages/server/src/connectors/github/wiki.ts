import { known, listOf, objectOf, textOf } from '../members.ts';
import { webPages } from '../references.ts';
import { keyOf, TITLE_CHARACTERS } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { bodyOf, type Frame, linksTo } from './frame.ts';

const MAX_PAGES = 50;

/** Each page of a wiki is an entry. The event has no time: the one of its delivery counts. */
export function transformWiki({ payload, path, sender }: Frame): EntryResult[] {
  return listOf(payload.pages)
    .slice(0, MAX_PAGES)
    .map(objectOf)
    .flatMap((page) => {
      const name = textOf(page.page_name) ?? textOf(page.title);
      if (name === undefined) return [];
      return [
        {
          operation: 'write' as const,
          entity_path: path,
          key: keyOf('wiki', name),
          merge: true,
          value: known({
            state: bodyOf(page.action, TITLE_CHARACTERS) ?? undefined,
            title: bodyOf(page.title, TITLE_CHARACTERS) ?? undefined,
            updated_by: sender,
            sha: bodyOf(page.sha, TITLE_CHARACTERS) ?? undefined,
            summary: bodyOf(page.summary) ?? undefined,
          }),
          artifact_refs: webPages(page.html_url),
          links: linksTo('edited_by', sender),
        },
      ];
    });
}

import { known, numberOf, objectOf, textOf } from '../members.ts';
import { cutText, ITEM_CHARACTERS, keyOf, latest, timeOf } from '../text.ts';
import type { ResultItem } from '../types.ts';
import { loginOf } from './frame.ts';

type CommentItem = { id: string | undefined; at: string | undefined; item: ResultItem | undefined };

/** A comment as an item of a list. `at` is the time of its last change. */
export function commentItem(value: unknown, action?: string): CommentItem {
  const comment = objectOf(value);
  const id = textOf(comment.id);
  const created = timeOf(comment.created_at);
  const at = latest(created, timeOf(comment.updated_at));
  if (id === undefined || created === undefined) return { id: undefined, at, item: undefined };
  const path = textOf(comment.path);
  const item = known({
    at: created,
    who: loginOf(comment.user),
    edited_at: action === 'edited' ? at : undefined,
    path: path === undefined ? undefined : cutText(path, ITEM_CHARACTERS),
    line: numberOf(comment.line),
    text: cutText(textOf(comment.body) ?? '', ITEM_CHARACTERS),
  });
  return { id: keyOf('comment', id), at, item };
}

import type { Items } from '../items.ts';
import { idOf, labelOf } from '../labels.ts';
import { known, listOf, type Members, numberOf, objectOf } from '../members.ts';
import { timeOf } from '../text.ts';
import type { ResultItem } from '../types.ts';
import { documentText } from './adf.ts';
import type { JiraEvent } from './event.ts';
import { personName } from './names.ts';

/** How much of a comment is kept, and how many of an issue. */
export const COMMENT_CHARACTERS = 1000;
const MAX_COMMENTS = 200;

export const isCommentDeleted = ({ type, issue_event }: JiraEvent): boolean =>
  type === 'comment_deleted' || issue_event === 'issue_comment_deleted';

export type Comments = {
  /** All comments of the issue. */
  whole?: readonly ResultItem[];
  /** The comment that the event is about; null where it was deleted. */
  items?: Items;
};

/**
 * A server shows all comments with every event about an issue, and does not name the one that was deleted. The cloud shows only
 * the comment that the event is about.
 */
export function commentsOf(event: JiraEvent): Comments {
  const { comments, total } = objectOf(objectOf(event.issue.fields).comment);
  if (Array.isArray(comments) && comments.length >= (numberOf(total) ?? 0)) {
    const latest = comments.slice(-MAX_COMMENTS).map(objectOf);
    return {
      whole: latest.map((comment) => readComment(comment, event.occurred_at)).filter((item) => item !== undefined),
    };
  }
  const comment = objectOf(event.payload.comment);
  const id = idOf(comment.id);
  if (id === undefined) return {};
  if (isCommentDeleted(event)) return { items: { [id]: null } };
  const item = readComment(comment, event.occurred_at);
  return item ? { items: { [id]: item } } : {};
}

function readComment(comment: Members, otherwise: string | undefined): ResultItem | undefined {
  const { author, body, created, updated, visibility } = comment;
  const at = timeOf(created) ?? otherwise;
  if (at === undefined) return undefined;
  const edited_at = timeOf(updated);
  return {
    at,
    ...known({
      id: idOf(comment.id),
      by: personName(author),
      text: documentText(body, COMMENT_CHARACTERS),
      edited_at: edited_at === at ? undefined : edited_at,
      visible_to: labelOf(objectOf(visibility).value),
    }),
  };
}

export const commentText = (event: JiraEvent): string | undefined => documentText(objectOf(event.payload.comment).body);

export const commentAuthors = (event: JiraEvent): unknown[] =>
  isCommentDeleted(event)
    ? []
    : [
        objectOf(event.payload.comment).author,
        ...listOf(objectOf(objectOf(event.issue.fields).comment).comments)
          .slice(-20)
          .map((each) => objectOf(each).author),
      ];

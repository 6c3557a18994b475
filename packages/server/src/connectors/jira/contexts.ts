import { labelOf } from '../labels.ts';
import { type Members, objectOf, textOf } from '../members.ts';
import { cutText, firstLine, TITLE_CHARACTERS } from '../text.ts';
import type { ContextResult } from '../types.ts';
import { documentText } from './adf.ts';
import { actionOf, type JiraEvent } from './event.ts';
import { boardPath, personName, projectPath, ROOT_PATH } from './names.ts';

/** What happened to something that has no entry: a project, a board, an account, work on an issue that is not named. */
export function otherContext(event: JiraEvent): ContextResult | undefined {
  if (event.type === '') return undefined;
  const { payload } = event;
  const parts = [actionOf(event.type), subjectOf(payload), textOfPart(event)].filter((part) => part !== undefined);
  const by = personName(actorOf(payload));
  const summary = `${parts.join(': ')}${by === undefined || by === parts[1] ? '' : ` (${by})`}`;
  return {
    operation: 'record_context',
    label: event.type,
    summary: cutText(summary, TITLE_CHARACTERS),
    source: 'jira',
    entity_path: pathOf(payload),
  };
}

function subjectOf({
  project,
  board,
  user,
  attachment,
  worklog,
  issueLink,
  property,
  comment,
}: Members): string | undefined {
  const { name, displayName, filename, key } = objectOf(
    project ?? board ?? attachment ?? property ?? (comment || worklog ? undefined : user),
  );
  const link = objectOf(objectOf(issueLink).issueLinkType).name;
  return (
    labelOf(name) ??
    labelOf(displayName) ??
    labelOf(filename) ??
    labelOf(link) ??
    labelOf(objectOf(worklog).timeSpent) ??
    labelOf(key)
  );
}

/** The text of what was deleted is not kept. */
function textOfPart({ type, payload }: JiraEvent): string | undefined {
  if (type.endsWith('_deleted')) return undefined;
  const { comment, worklog } = payload;
  const text = documentText(objectOf(comment).body) ?? documentText(objectOf(worklog).comment);
  return text === undefined ? undefined : firstLine(text);
}

const actorOf = ({ user, comment, worklog, attachment }: Members): unknown =>
  user ?? objectOf(comment).author ?? objectOf(worklog).author ?? objectOf(attachment).author;

function pathOf({ project, board, sprint }: Members): string {
  const key = textOf(objectOf(project).key);
  return key === undefined ? (boardPath(objectOf(board ?? sprint).id) ?? ROOT_PATH) : projectPath(key);
}

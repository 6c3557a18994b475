import { type Members, numberOf, objectOf, textOf } from '../members.ts';
import { cutText, timeOf, timeOfMs } from '../text.ts';

/** A delivery of Jira. Which of the things it has depends on its type. */
export type JiraEvent = {
  type: string;
  /** What happened to an issue, more exactly. Older servers leave it out. */
  issue_event: string | undefined;
  occurred_at: string | undefined;
  user: Members;
  issue: Members;
  payload: Members;
};

export function readEvent(body: unknown): JiraEvent {
  const payload = objectOf(body);
  // A rule of an automation sends the issue alone.
  const issue = isIssue(payload) ? payload : objectOf(payload.issue);
  const fields = objectOf(issue.fields);
  return {
    type: typeOf(payload, issue),
    issue_event: textOf(payload.issue_event_type_name),
    occurred_at: timeOfMs(numberOf(payload.timestamp)) ?? timeOf(payload.timestamp) ?? timeOf(fields.updated),
    user: objectOf(payload.user),
    issue,
    payload,
  };
}

const isIssue = (payload: Members): boolean =>
  payload.webhookEvent === undefined && typeof payload.key === 'string' && typeof payload.fields === 'object';

/** A step of a workflow may send the issue without a type. */
function typeOf(payload: Members, issue: Members): string {
  const type = textOf(payload.webhookEvent);
  if (type !== undefined) return cutText(type, 100);
  return textOf(issue.key) === undefined ? '' : 'jira:issue_updated';
}

/** `jira:version_released` as `version released`. */
export const actionOf = (type: string): string => type.replace(/^jira:/, '').replaceAll('_', ' ');

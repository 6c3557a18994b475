import { idOf, labelOf } from '../labels.ts';
import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import type { ResultItem } from '../types.ts';
import type { JiraEvent } from './event.ts';
import { personName } from './names.ts';

export type Change = { field: string; from: string | undefined; to: string | undefined };

const MAX_CHANGES = 100;

/** What the event changed. */
export function changesOf({ payload, issue }: JiraEvent): Change[] {
  const { items } = objectOf(payload.changelog ?? issue.changelog);
  return listOf(items).slice(0, MAX_CHANGES).map(objectOf).flatMap(readChange);
}

function readChange(item: Members): Change[] {
  const field = textOf(item.field);
  if (field === undefined) return [];
  // Every object has a member `toString`.
  const to = Object.hasOwn(item, 'toString') ? item.toString : undefined;
  return [
    {
      field: field.slice(0, 100).toLowerCase(),
      from: labelOf(item.fromString) ?? labelOf(item.from),
      to: labelOf(to) ?? labelOf(item.to),
    },
  ];
}

/** Changes of the status by the number of the change, with who and when. A new issue only gets its first status. */
export function transitionItems(event: JiraEvent): Record<string, ResultItem> | undefined {
  const { occurred_at, payload } = event;
  const transitions = [
    ...changesOf(event).filter(({ field, from }) => field === 'status' && from),
    ...workflowStep(payload),
  ];
  if (occurred_at === undefined || transitions.length === 0) return undefined;
  const id = idOf(objectOf(payload.changelog).id) ?? occurred_at;
  const by = personName(event.user);
  return Object.fromEntries(
    transitions.map(({ from, to }, at) => [at === 0 ? id : `${id}-${at}`, known({ at: occurred_at, from, to, by })]),
  );
}

/** A step of a workflow that calls the address itself says from where to where it led. */
function workflowStep(payload: Members): Change[] {
  const { from_status, to_status } = objectOf(payload.transition);
  const to = labelOf(to_status);
  return to === undefined ? [] : [{ field: 'status', from: labelOf(from_status), to }];
}

const ISSUE_KEY = /^[A-Za-z][A-Za-z0-9_]{0,99}-[1-9]\d{0,11}$/;

/** The key that an issue had before it was moved to another project. */
export function formerKey(event: JiraEvent): string | undefined {
  const moved = changesOf(event).find(
    ({ field, from }) => field === 'key' && from !== undefined && ISSUE_KEY.test(from),
  );
  return moved?.from === textOf(event.issue.key) ? undefined : moved?.from;
}

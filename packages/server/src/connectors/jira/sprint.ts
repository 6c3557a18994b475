import { labelOf } from '../labels.ts';
import { known, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, keyOf, timeOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { actionOf, type JiraEvent } from './event.ts';
import { pageOf, personLinks, ROOT_PATH, sprintPlace, thingOf } from './names.ts';

const RANKS = new Map(
  Object.entries({
    sprint_created: 10,
    sprint_updated: 20,
    sprint_started: 30,
    sprint_closed: 40,
    sprint_deleted: 90,
  }),
);

/** A sprint belongs to the board that it was made on. */
export function sprintResult(event: JiraEvent): EntryResult | undefined {
  const { payload, occurred_at, type } = event;
  const sprint = objectOf(payload.sprint);
  const id = textOf(sprint.id);
  if (id === undefined) return undefined;
  const place = sprintPlace(sprint.originBoardId, objectOf(payload.project).key);
  const goal = textOf(sprint.goal);
  const board = textOf(sprint.originBoardId);
  const url = board === undefined ? undefined : pageOf(sprint.self, 'secure/RapidBoard.jspa?rapidView=', board);
  return {
    operation: 'write',
    ...(place ?? { entity_path: ROOT_PATH, unplaced: true }),
    key: keyOf('sprint', id),
    thing: thingOf('sprint', id, sprint.self),
    merge: true,
    value: known({
      state: labelOf(sprint.state) ?? STATES.get(type),
      name: labelOf(sprint.name),
      last_event: actionOf(type),
      starts_at: timeOf(sprint.startDate),
      ends_at: timeOf(sprint.endDate),
      completed_at: timeOf(sprint.completeDate),
      board_id: labelOf(board),
      url,
      goal: goal === undefined ? null : cutText(goal),
    }),
    ...(occurred_at !== undefined && { occurred_at }),
    rank: RANKS.get(type) ?? 0,
    ...(type === 'sprint_deleted' && { deleted: true }),
    artifact_refs: webPages(url),
    links: [...personLinks('changed_by', event.user), ...linksIn([textOf(sprint.name), goal])],
  };
}

/** For payloads whose sprint has no state. */
const STATES = new Map(Object.entries({ sprint_created: 'future', sprint_started: 'active', sprint_closed: 'closed' }));

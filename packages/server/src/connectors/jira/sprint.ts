import { labelOf } from '../labels.ts';
import { known, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, keyOf, timeOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { actionOf, type JiraEvent } from './event.ts';
import { boardPath, pageOf, personLinks, projectPath, ROOT_PATH, thingOf } from './names.ts';

const RANKS = new Map(
  Object.entries({
    sprint_created: 10,
    sprint_updated: 20,
    sprint_started: 30,
    sprint_closed: 40,
    sprint_deleted: 90,
  }),
);

/** A sprint belongs to its project, or to the board that it was made on where none is named. */
export function sprintResult(event: JiraEvent): EntryResult | undefined {
  const { payload, occurred_at, type } = event;
  const sprint = objectOf(payload.sprint);
  const id = textOf(sprint.id);
  if (id === undefined) return undefined;
  const project = textOf(objectOf(payload.project).key);
  const path = project === undefined ? boardPath(sprint.originBoardId) : projectPath(project);
  const goal = textOf(sprint.goal);
  const board = textOf(sprint.originBoardId);
  const url = board === undefined ? undefined : pageOf(sprint.self, 'secure/RapidBoard.jspa?rapidView=', board);
  return {
    operation: 'write',
    entity_path: path ?? ROOT_PATH,
    key: keyOf('sprint', id),
    thing: thingOf('sprint', id, sprint.self),
    ...(path === undefined && { unplaced: true }),
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

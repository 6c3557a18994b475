import { labelOf } from '../labels.ts';
import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { entryNode } from '../references.ts';
import { keyOf } from '../text.ts';
import type { ResultLink } from '../types.ts';
import { sprintPlace } from './names.ts';

type SprintOfIssue = { id: string | undefined; board: string | undefined; name: string | undefined; state: string };

const MAX_SPRINTS = 50;
const OLD_FORM = /^com\.atlassian\.greenhopper\.service\.sprint\.Sprint@/;

/**
 * The sprints of an issue. They are in a custom field whose number differs from site to site: as objects, or on servers and
 * in older deliveries as text like `…Sprint@a88a698[id=1,rapidViewId=1,state=ACTIVE,name=Sprint 2,…]`.
 */
export function sprintsOf(fields: Members): SprintOfIssue[] {
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith('customfield_') && name !== 'sprint') continue;
    const sprints = listOf(Array.isArray(value) ? value : [value])
      .slice(-MAX_SPRINTS)
      .map((each) => (typeof each === 'string' ? readText(each) : readObject(objectOf(each))))
      .filter((sprint) => sprint !== undefined);
    if (sprints.length > 0) return sprints;
  }
  return [];
}

function readObject(sprint: Members): SprintOfIssue | undefined {
  const { id, name, state, boardId, originBoardId } = sprint;
  const board = textOf(boardId) ?? textOf(originBoardId);
  const isSprint = typeof name === 'string' && typeof state === 'string' && (board !== undefined || 'goal' in sprint);
  return isSprint ? { id: textOf(id), board, name: labelOf(name), state: state.slice(0, 20).toLowerCase() } : undefined;
}

function readText(text: string): SprintOfIssue | undefined {
  if (!OLD_FORM.test(text)) return undefined;
  const short = text.slice(0, 2000);
  const member = (name: string) => labelOf(new RegExp(`[[,]${name}=(.*?)(?:,[A-Za-z]+=|\\]$)`).exec(short)?.[1]);
  return {
    id: member('id'),
    board: member('rapidViewId'),
    name: member('name'),
    state: (member('state') ?? '').toLowerCase(),
  };
}

/** The sprint that an issue is in: the last that is not closed, else the last. */
export function currentSprint(sprints: readonly SprintOfIssue[]): string | undefined {
  return (sprints.findLast(({ state }) => state !== 'closed') ?? sprints.at(-1))?.name;
}

/** `project` is the key of the issue's project, where sprints without a board are. */
export function sprintLinks(sprints: readonly SprintOfIssue[], project: string | undefined): ResultLink[] {
  return sprints.flatMap(({ id, board }) => {
    const place = sprintPlace(board, project);
    return place === undefined || id === undefined
      ? []
      : [{ relation: 'in_sprint', to: entryNode(place.entity_path, keyOf('sprint', id)) }];
  });
}

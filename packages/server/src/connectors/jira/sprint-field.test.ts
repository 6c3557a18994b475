import { expect, test } from 'vitest';
import { currentSprint, sprintLinks, sprintsOf } from './sprint-field.ts';

const OLD = 'com.atlassian.greenhopper.service.sprint.Sprint@a88a698';

test('sprints are found in whichever custom field has them, in both forms', () => {
  const objects = sprintsOf({
    customfield_10001: '0|i0000r:r',
    customfield_10020: [{ id: 4, name: 'Sprint 4', state: 'active', boardId: 2, goal: '' }],
  });
  expect(objects).toEqual([{ id: '4', board: '2', name: 'Sprint 4', state: 'active' }]);
  const texts = sprintsOf({
    customfield_10104: [`${OLD}[id=1,rapidViewId=9,state=CLOSED,name=Sample, Sprint 1,startDate=<null>]`],
  });
  expect(texts).toEqual([{ id: '1', board: '9', name: 'Sample, Sprint 1', state: 'closed' }]);
  expect(
    sprintsOf({ customfield_1: [{ name: 'a', state: 'b' }], customfield_2: [null], other: [{ boardId: 1 }] }),
  ).toEqual([]);
});

test('an issue is in the last sprint that is not closed', () => {
  const sprints = sprintsOf({
    customfield_10020: [
      { id: 3, name: 'Sprint 3', state: 'closed', boardId: 2 },
      { id: 4, name: 'Sprint 4', state: 'active', boardId: 2 },
      { id: 5, name: 'Hotfixes', state: 'closed', boardId: 2 },
    ],
  });
  expect(currentSprint(sprints)).toBe('Sprint 4');
  expect(currentSprint(sprints.filter(({ state }) => state === 'closed'))).toBe('Hotfixes');
  expect(sprintLinks(sprints, 'PAY')[1]).toEqual({ relation: 'in_sprint', to: 'projects/jira/board-2/sprint-4' });
  const [withoutBoard] = sprintsOf({ sprint: { id: 6, name: 'Sprint 6', state: 'active', goal: '' } });
  expect(sprintLinks(withoutBoard ? [withoutBoard] : [], 'PAY')).toEqual([
    { relation: 'in_sprint', to: 'projects/jira/PAY/sprint-6' },
  ]);
});

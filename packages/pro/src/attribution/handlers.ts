import { type Handlers, reads } from '@mem-service/server/module';
import { attributeRuns } from './attribute.ts';
import { groupOf } from './groups.ts';

const attribute = reads<'failures.attribute'>(async (context, input) => {
  const group = await groupOf(context, input);
  const { suspects, sets, failed, complete } = await attributeRuns(context, group, input.limit);
  return {
    suspects: suspects.map(({ memory }) => memory),
    failed,
    passed: sets.length - failed,
    looked_at: group.runs.length,
    complete,
  };
});

export const handlers: Handlers = { 'failures.attribute': attribute };

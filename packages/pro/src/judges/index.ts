import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { dryRunHandlers } from './dry-run.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { seedHandlers } from './seed.ts';
import { tables } from './tables.ts';

export { addJudge, authorOf, type NewJudge, requireSound } from './changes.ts';
export { getJudge, listActive, listWeights, type WholeJudge } from './queries.ts';
export { definitionIn, requireJudge, requireVersion } from './render.ts';

/** What looks at traces and says whether they went well, in versions. */
export const judges: Module = {
  name: 'judges',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers, ...dryRunHandlers, ...seedHandlers },
};

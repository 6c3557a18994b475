import { type AgentEraser, addStored, type Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { runHandlers } from './run.ts';
import { eraseReasonsOf, sumOfAgent } from './run-queries.ts';
import { tables } from './tables.ts';

export { listCases, readSet, type SetState } from './queries.ts';
export { toRun } from './render.ts';
export { type CaseResultRow, type CaseRunRow, getNewestRun, listResults, listRunsOn } from './run-queries.ts';

/** The declarations of the tables erase the rest. */
const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    addStored(work, { storage_bytes: -(await sumOfAgent(work.tx, agent)) });
    await eraseReasonsOf(work.tx, agent);
  },
};

/** Regression cases: tasks with what has to come of them, and runs of whole sets. */
export const cases: Module = {
  name: 'cases',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers, ...runHandlers },
  erasesAgent,
};

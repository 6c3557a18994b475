import type { Module } from '../../kernel/index.ts';
import { directoryHandlers } from './directory.ts';
import { graphHandlers } from './memory/graph.ts';
import { readerHandlers } from './memory/readers.ts';
import { recallHandlers } from './memory/recall.ts';
import { migrations } from './migrations.ts';
import { profileHandlers } from './profiles.ts';
import { timelineHandlers } from './timeline.ts';

export { summaryOf } from './rules/summary.ts';

export const agents: Module = {
  name: 'agents',
  migrations,
  handlers: {
    ...directoryHandlers,
    ...timelineHandlers,
    ...profileHandlers,
    ...graphHandlers,
    ...recallHandlers,
    ...readerHandlers,
  },
};

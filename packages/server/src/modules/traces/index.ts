import type { Module } from '../../kernel/index.ts';
import { create } from './create.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { recordingHandlers } from './recording.ts';

export { countItems, eraseItems } from './queries.ts';
export { sealSession } from './sessions.ts';
export { type Told, tellOf } from './told.ts';

export const traces: Module = {
  name: 'traces',
  migrations,
  handlers: { ...recordingHandlers, ...readHandlers, 'traces.create': create },
};

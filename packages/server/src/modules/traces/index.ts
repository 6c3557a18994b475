import type { Module } from '../../kernel/index.ts';
import { create } from './create/index.ts';
import { erasesAgent, erasesEntries } from './erase/index.ts';
import { forgetSpans, ingestOtlp } from './ingest/index.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { recordingHandlers } from './recording.ts';
import { tables, wordIndexes } from './tables.ts';

export { type Age, erasePayloads, removeOld } from './age/index.ts';
export { countTraces, freeTraces, hasTraces } from './age/queries.ts';
export { ledgerKey, type Sealed, saveTraces } from './seal.ts';
export { lookBack, type Past, readPart } from './session-parts.ts';
export { type Ending, sealSession } from './sessions.ts';
export type { Part } from './shape.ts';
export { type Told, tellOf, toldText } from './told.ts';

export const traces: Module = {
  name: 'traces',
  migrations,
  tables,
  wordIndexes,
  erasesEntries,
  erasesAgent,
  handlers: { ...recordingHandlers, ...readHandlers, 'traces.create': create, 'sessions.ingest_otlp': ingestOtlp },
  maintenance: [forgetSpans],
};

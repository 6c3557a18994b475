import type { Module } from '../../kernel/index.ts';
import { create } from './create/index.ts';
import { forgetSpans, ingestOtlp } from './ingest/index.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { recordingHandlers } from './recording.ts';
import { tables } from './tables.ts';

export { type Age, erasePayloads, forgetTraceWords, removeOld } from './age/index.ts';
export { countItems, eraseItems } from './erase/queries.ts';
export { ledgerKey, type Sealed, saveTraces } from './seal.ts';
export { lookBack, type Past, readPart } from './session-parts.ts';
export { type Ending, sealSession } from './sessions.ts';
export type { Part } from './shape.ts';
export { type Told, tellOf, toldText } from './told.ts';

export const traces: Module = {
  name: 'traces',
  migrations,
  tables,
  handlers: { ...recordingHandlers, ...readHandlers, 'traces.create': create, 'sessions.ingest_otlp': ingestOtlp },
  maintenance: [forgetSpans],
};

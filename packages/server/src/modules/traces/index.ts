import type { Module } from '../../kernel/index.ts';
import { create } from './create/index.ts';
import { erasesAgent, erasesEntries } from './erase/index.ts';
import { deleteOldSpans, ingestOtlp } from './ingest/index.ts';
import { migrations } from './migrations.ts';
import { listTracesFor, readHandlers } from './reads.ts';
import { recordingHandlers } from './recording.ts';
import { tables, wordIndexes } from './tables.ts';

export { type AgeRange, erasePayloads, removeOld } from './age/index.ts';
export { countTraces, freeTraces, hasTraces } from './age/queries.ts';
export type { AttemptUse } from './attempts.ts';
export { prepareRedactions, redactInTurns } from './prepare.ts';
export { pricesOf } from './prices.ts';
export {
  type AskedRow,
  havePartsContent,
  listAsked,
  listReadParts,
  listRecentTraces,
  type RecentTrace,
} from './question-queries.ts';
export { listReadPaths, listTracesAfter, type ReadPath, type SessionMoment } from './read-queries.ts';
export { findReadSets, type ReadSet, type ReadSetEntry } from './read-sets.ts';
export { readTrace, requireTrace } from './read-trace.ts';
export { findTraces, listPartsAtPath, type PartAtPath, type TraceFacts } from './readers.ts';
export { totalsOf } from './rules/llm-calls.ts';
export { priceOf } from './rules/llm-prices.ts';
export { type Redactions, redactText, withRedactions } from './rules/redact.ts';
export { redactionsInSteps as redactionsOf, redactJson } from './rules/redact-json.ts';
export { ledgerKey, type SealedTrace, saveTraces } from './seal.ts';
export { type SessionEnd, sealSession } from './seal-session.ts';
export {
  listNamedTraces,
  listNewestTraces,
  listTracesBetween,
  listTracesById,
  listVersionsRead,
  type SealedContent,
  type SealedPart,
  tracesInSight,
  type VersionRead,
  wholeTraces,
} from './sealed.ts';
export {
  type EntriesOfTrace,
  findEntriesOfTraces,
  findSealed,
  listInScope,
  listReadersAt,
  listSealed,
  listSeqsAfter,
  listSpokenParts,
  listThatRead,
  type ReadOfTrace,
  type SealedRow,
  type SpokenPart,
  type WriteOfTrace,
} from './searchable.ts';
export { loadPast, readPart, type SessionPast } from './session-parts.ts';
export { buildSessionReport, recordedBefore, redactOrNull, type SessionReport } from './session-report.ts';
export type { TraceHeader, TracePart } from './shape.ts';
export { listSpansOf, readSpanOf, type SpanOutline } from './spans-of-trace.ts';
export { findTraceOfWrite } from './trace-of-write.ts';
export { listTries, type SessionTries } from './tries.ts';
export { viewerOf } from './viewer.ts';

export { listTracesFor };

export const traces: Module = {
  name: 'traces',
  migrations,
  tables,
  wordIndexes,
  erasesEntries,
  erasesAgent,
  handlers: { ...recordingHandlers, ...readHandlers, 'traces.create': create, 'sessions.ingest_otlp': ingestOtlp },
  maintenance: [deleteOldSpans],
};

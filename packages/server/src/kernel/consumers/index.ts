export type { ClaimTimes, Consumer, ConsumerContext } from './consumer.ts';
export { type ConsumerCounts, Consumers, type ConsumersOptions } from './consumers.ts';
export { orNothing } from './or-nothing.ts';
export {
  countDeadLettersOf,
  cursorSeq,
  deleteConsumed,
  deleteCursor,
  dropDeadLetters,
  isWantedAfter,
  listConsumed,
  listCursors,
  listDeadLetters,
  readCursor,
  retryDeadLetters,
} from './queries.ts';
export { Postponed } from './turn-errors.ts';

export type { ClaimTimes, Consumer, ConsumerContext } from './consumer.ts';
export { type ConsumerCounts, Consumers, type ConsumersOptions } from './consumers.ts';
export { orNothing } from './or-nothing.ts';
export {
  countDeadLettersOf,
  deleteConsumed,
  dropDeadLetters,
  listConsumed,
  listCursors,
  listDeadLetters,
  readCursor,
  retryDeadLetters,
} from './queries.ts';

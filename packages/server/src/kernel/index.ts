export * from './account-queries.ts';
export { Activity, bucketOf, type DayTally, dayOf, OTHERS, type Tally } from './activity.ts';
export { type AuditRow, agentHash, chainAudit, subjectHash } from './audit.ts';
export * from './audit-queries.ts';
export { missing } from './by-scope.ts';
export * from './caller.ts';
export * from './clock.ts';
export * from './consumers/index.ts';
export * from './cursor.ts';
export * from './entry-name.ts';
export { eraseEventDetails, likeJsonText } from './erase-queries.ts';
export * from './erasure.ts';
export { eventsWithin, seesEvent } from './event-reach.ts';
export type { Listener } from './feed.ts';
export type { Reader, Subscription, View } from './follower.ts';
export { HookContext, type Hooks } from './hooks.ts';
export { forgetAnswers } from './idempotency.ts';
export { type Ids, randomIds } from './ids.ts';
export * from './invoke.ts';
export * from './kernel-tables.ts';
export * from './key-ring.ts';
export type { KeySource, KeyStanding, KnownKey } from './key-standing.ts';
export type { Line } from './lines.ts';
export * from './log-queries.ts';
export * from './maintenance/index.ts';
export * from './metering.ts';
export * from './module.ts';
export { noteQuery } from './notes.ts';
export { incompleteBecause } from './notes-gap.ts';
export * from './observations.ts';
export { pathWithin } from './path-filter.ts';
export { keepPlannerFigures } from './planner.ts';
export * from './projection.ts';
export { insertAccount, listEvents, readAccount } from './queries.ts';
export {
  covers,
  pathsWithin,
  type Reach,
  reaches,
  readReach,
  stretchesWithin,
  touches,
  withinReach,
} from './reach.ts';
export * from './registry.ts';
export * from './result.ts';
export * from './settings.ts';
export * from './tables.ts';
export { seqAt } from './time-travel.ts';
export * from './usage.ts';
export * from './view.ts';
export { type Viewer, visible } from './viewer.ts';
export { ADMINS, accountGone, EVERYONE, isGone, type LogEvent, type Work } from './work.ts';

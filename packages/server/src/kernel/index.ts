export { requireAllModules } from './absent-modules.ts';
export { accountGone, isAccountGone, noOpenRoom } from './account-gone.ts';
export * from './account-queries.ts';
export { AccountTurns } from './account-turns.ts';
export { Activity, bucketOf, type CallTally, type DayTally, dayOf, OTHERS } from './activity.ts';
export { isOwnAct, ownActs } from './agent-activity.ts';
export * from './answer-limits.ts';
export { type AuditRow, agentHash, chainAudit, sha256, subjectHash } from './audit.ts';
export * from './audit-queries.ts';
export { mayActAs, soleAgentOf } from './authorize-agent.ts';
export { missingScope } from './authorize-scope.ts';
export { checkSender, isSender } from './authorize-sender.ts';
export * from './branch-access.ts';
export { andThen } from './branch-lineages.ts';
export * from './caller.ts';
export * from './clock.ts';
export * from './consumers/index.ts';
export * from './cursor.ts';
export { DefaultBranches } from './default-branch.ts';
export * from './entry-name.ts';
export * from './erasers.ts';
export {
  agentsInLog,
  type CountedStretch,
  countByMinute,
  countByType,
  hasOnlySince,
  listEventsFrom,
  readHead,
  readPosition,
  stampStatement,
} from './event-queries.ts';
export { eventsInScope, seesEvent } from './event-scope.ts';
export type { FeedListener } from './feed.ts';
export type { EventReader, FollowRequest, Subscription } from './follower.ts';
export { groupBySeq } from './group-by-seq.ts';
export * from './handler-kinds.ts';
export { HookContext, type Hooks } from './hooks.ts';
export { deleteExpiredAnswers } from './idempotency.ts';
export { type Ids, randomIds } from './ids.ts';
export { inputSizeInSteps, isInputOfSize } from './input-size.ts';
export * from './invoke.ts';
export { keepState } from './keep-state.ts';
export { eraseEventDetails, likeJsonText } from './kernel-eraser-queries.ts';
export * from './kernel-tables.ts';
export * from './key-member.ts';
export * from './key-ring.ts';
export { type KeySource, type KeyStatus, type KnownKey, UnknownKey } from './key-status.ts';
export { KnownLogs } from './known-logs.ts';
export type { LedgerPosition } from './ledger-lines.ts';
export { listEvents, listFirstEvents, requirePosition } from './log-pages.ts';
export * from './log-position.ts';
export * from './log-queries.ts';
export * from './maintenance/index.ts';
export * from './metering.ts';
export * from './module.ts';
export * from './note-buffer.ts';
export { noteQuery, readContext } from './notes.ts';
export { incompleteBecause } from './notes-gap.ts';
export * from './page-bytes.ts';
export { parseInput } from './parse-input.ts';
export { globConditions } from './path-filter.ts';
export * from './plan-bounds.ts';
export { keepPlannerFigures } from './planner.ts';
export * from './projection.ts';
export { protectMain } from './protect-main.ts';
export { type AccountRow, eventTime, insertAccount, readAccount, readSeq } from './queries.ts';
export * from './readable-branches.ts';
export * from './registry.ts';
export * from './replica/index.ts';
export * from './reported-events.ts';
export * from './result.ts';
export { RoomOwners } from './room-owners.ts';
export {
  accountOfRoom,
  agentInRoom,
  callerInRoom,
  isRoomAccount,
  type RoomHook,
  type RoomMember,
  type RoomRequest,
} from './rooms.ts';
export {
  anyGlobCondition,
  isInScope,
  pathRanges,
  readScope,
  type Scope,
  scopeConditions,
  scopeCovers,
  scopedGlobs,
  scopedPathConditions,
  scopedPathRanges,
  scopeGlobs,
  scopeOverlaps,
} from './scope.ts';
export { presentServers } from './servers/known-servers.ts';
export {
  heldForCaller,
  heldName,
  holderOf,
  isCalled,
  isOfOtherHolder,
  sessionIdOf,
  sessionName,
  withoutOtherHolders,
} from './session-name.ts';
export * from './settings.ts';
export { fromStorage } from './storage-fault.ts';
export { countColumns } from './stored-columns.ts';
export * from './tables.ts';
export { seqAt, timesOfForks } from './time-travel.ts';
export * from './usage.ts';
export * from './view.ts';
export { type Viewer, visibleTo } from './viewer.ts';
export { ADMINS, EVERYONE, type LogEvent, type Work } from './work.ts';
export * from './written-events.ts';

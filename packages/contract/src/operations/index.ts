import type { z } from 'zod';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { agents } from './agents.ts';
import { alerts } from './alerts.ts';
import { attribution } from './attribution.ts';
import { audit } from './audit.ts';
import { backfills } from './backfills.ts';
import { behaviors } from './behaviors.ts';
import { branchAccess } from './branch-access.ts';
import { branches } from './branches.ts';
import { briefing } from './briefing.ts';
import { budgets } from './budgets.ts';
import { cases } from './cases.ts';
import { commits } from './commits.ts';
import { confidence } from './confidence.ts';
import { conflicts } from './conflicts.ts';
import { connectors } from './connectors.ts';
import { consolidation } from './consolidation.ts';
import { consumers } from './consumers.ts';
import { cortex } from './cortex.ts';
import { counts } from './counts.ts';
import { detectedPatterns } from './detected-patterns.ts';
import { entries } from './entries.ts';
import { entryMaintenance } from './entry-maintenance.ts';
import { entryRemoval } from './entry-removal.ts';
import { evaluation } from './evaluation.ts';
import { events } from './events.ts';
import { fixes } from './fixes.ts';
import { golden } from './golden.ts';
import { graph } from './graph.ts';
import { incidents } from './incidents.ts';
import { ingest } from './ingest.ts';
import { investigations } from './investigations.ts';
import { judges } from './judges.ts';
import { keys } from './keys.ts';
import { log } from './log.ts';
import { merges } from './merges.ts';
import { negotiations } from './negotiations.ts';
import { outcomes } from './outcomes.ts';
import { pullRequests } from './pull-requests.ts';
import { quarantineOperations } from './quarantine.ts';
import { retention } from './retention.ts';
import { retrieve } from './retrieve.ts';
import { rollback } from './rollback.ts';
import { roomAccess } from './room-access.ts';
import { roomDirectory } from './room-directory.ts';
import { roomDiscussions } from './room-discussions.ts';
import { roomDocuments } from './room-documents.ts';
import { roomEnd } from './room-end.ts';
import { roomInvitations } from './room-invitations.ts';
import { roomTopics } from './room-topics.ts';
import { rooms } from './rooms.ts';
import { search } from './search.ts';
import { segments } from './segments.ts';
import { series } from './series.ts';
import { sessions } from './sessions.ts';
import { system } from './system.ts';
import { tags } from './tags.ts';
import { teams } from './teams.ts';
import { traceNavigation } from './trace-navigation.ts';
import { traceSearch } from './trace-search.ts';
import { traces } from './traces.ts';
import { trainingExport } from './training-export.ts';
import { transfer } from './transfer.ts';
import { usageOperations } from './usage.ts';
import { verdicts } from './verdicts.ts';

/**
 * The table of operations. Routes, OpenAPI, SDK methods, CLI commands and the derived tests are all generated from it.
 */
export const operations = {
  ...entries,
  ...entryRemoval,
  ...entryMaintenance,
  ...search,
  ...retrieve,
  ...briefing,
  ...commits,
  ...sessions,
  ...ingest,
  ...outcomes,
  ...confidence,
  ...traces,
  ...traceSearch,
  ...traceNavigation,
  ...trainingExport,
  ...agents,
  ...graph,
  ...branches,
  ...branchAccess,
  ...merges,
  ...conflicts,
  ...pullRequests,
  ...tags,
  ...rollback,
  ...quarantineOperations,
  ...judges,
  ...verdicts,
  ...budgets,
  ...backfills,
  ...evaluation,
  ...segments,
  ...attribution,
  ...alerts,
  ...cases,
  ...incidents,
  ...investigations,
  ...behaviors,
  ...fixes,
  ...detectedPatterns,
  ...rooms,
  ...roomDiscussions,
  ...roomInvitations,
  ...roomDirectory,
  ...roomAccess,
  ...roomTopics,
  ...negotiations,
  ...roomDocuments,
  ...roomEnd,
  ...counts,
  ...cortex,
  ...log,
  ...series,
  ...keys,
  ...teams,
  ...audit,
  ...accounts,
  ...usageOperations,
  ...activity,
  ...golden,
  ...retention,
  ...consumers,
  ...transfer,
  ...consolidation,
  ...events,
  ...connectors,
  ...system,
};

export type Operations = typeof operations;
export type OperationName = keyof Operations;
/** The input that a handler receives: parsed, with defaults filled in. */
export type Input<N extends OperationName> = z.output<Operations[N]['input']>;
/** The input as a caller sends it. */
export type Request<N extends OperationName> = z.input<Operations[N]['input']>;
export type Output<N extends OperationName> = z.input<Operations[N]['output']>;
/** Operations that answer with an endless stream. */
export type StreamName = { [N in OperationName]: Operations[N] extends { stream: true } ? N : never }[OperationName];

/** Operations that answer with JSON Lines. */
export type LinesName = { [N in OperationName]: Operations[N] extends { lines: true } ? N : never }[OperationName];

export const operationNames = Object.keys(operations) as OperationName[];

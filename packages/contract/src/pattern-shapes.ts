import * as z from 'zod';
import { pullRequestId } from './pull-request-shapes.ts';
import * as s from './shapes.ts';

export const patternTypes = [
  'recurring_failure',
  'hot_entity',
  'stale_cluster',
  'confidence_drift',
  'knowledge_conflict',
  'redundant_writes',
  'single_point_of_knowledge',
  'passive_consumer',
  'unreviewed_changes',
  'orphaned_branch',
  'stale_knowledge',
] as const;
export type PatternType = (typeof patternTypes)[number];

export const patternSeverities = ['critical', 'warning', 'info'] as const;
export type PatternSeverity = (typeof patternSeverities)[number];

export const patternCategories = ['reliability', 'freshness', 'collaboration', 'activity'] as const;
export type PatternCategory = (typeof patternCategories)[number];

/** What each type of pattern says something about. */
export const categoryOf: Readonly<Record<PatternType, PatternCategory>> = {
  recurring_failure: 'reliability',
  hot_entity: 'activity',
  stale_cluster: 'freshness',
  confidence_drift: 'reliability',
  knowledge_conflict: 'collaboration',
  redundant_writes: 'collaboration',
  single_point_of_knowledge: 'collaboration',
  passive_consumer: 'collaboration',
  unreviewed_changes: 'collaboration',
  orphaned_branch: 'collaboration',
  stale_knowledge: 'freshness',
};

export const patternStatuses = ['open', 'resolved', 'cleared'] as const;
export type PatternStatus = (typeof patternStatuses)[number];

export const patternId = s.label(64).meta({
  description: 'The id of a pattern: it is the same in every scan that finds it.',
  examples: ['3f1c0e9a5b7d2468ace013579bdf2468'],
});
export const scanId = s.label(64).meta({ description: 'Which scan.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

export const patternType = z.enum(patternTypes).meta({ id: 'PatternType', description: 'The rule that found it.' });
export const patternSeverity = z.enum(patternSeverities);
export const patternCategory = z.enum(patternCategories);
export const patternStatus = z.enum(patternStatuses).meta({
  description:
    '`resolved`: until there is evidence that is newer than the resolution. `cleared`: a later scan did not find it any more.',
});

export const detectedPattern = z
  .object({
    pattern_id: patternId,
    pattern_type: patternType,
    category: patternCategory,
    severity: patternSeverity,
    status: patternStatus,
    entity_path: s.entityPath.nullable().meta({ description: 'Where it is; null where it is about no path.' }),
    agent_id: s.agentId.nullable().meta({ description: 'The agent that it is about, if it is about one.' }),
    branch: s.branch,
    pull_request_id: pullRequestId.nullable(),
    description: z.string().meta({ description: 'What was found, in a sentence.' }),
    figures: z.record(z.string(), z.number()).meta({ description: 'The figures that the rule looked at.' }),
    reopened: z.int().meta({ description: 'How often it came back.' }),
    detected_at: s.utc.meta({ description: 'When a scan found it for the first time.' }),
    opened_at: s.utc.meta({ description: 'When it was last opened.' }),
    resolved_at: s.utc.nullable(),
    resolved_by: s.agentId.nullable(),
    reason: z.string().meta({ description: 'Why it was resolved.' }),
  })
  .meta({ id: 'DetectedPattern', description: 'Something in the memory of an account that somebody should look at.' });

export const patternEvidence = {
  entries: z
    .array(
      z.object({
        entity_path: s.entityPath,
        key: z.string(),
        branch: s.branch,
        version: s.version.meta({ description: 'In which the pattern was found.' }),
        newest_version: s.version.meta({ description: 'Of the entry, as it is now.' }),
        agent_id: s.agentId.meta({ description: 'Who wrote its newest version.' }),
        group: z
          .int()
          .nullable()
          .meta({ description: 'Redundant writes: those of one group say the same. Null for other patterns.' }),
      }),
    )
    .meta({
      description: 'The entries that it was found in, the clearest first, as far as the caller may see them.',
    }),
  traces: z
    .array(
      z.object({ trace_id: z.string(), agent_id: s.agentId, outcome_type: z.string().nullable(), traced_at: s.utc }),
    )
    .meta({ description: 'Traces to look at, newest first.' }),
  agents: z.array(s.agentId).meta({ description: 'The agents that it concerns.' }),
};

const days = (most: number) => z.int().min(1).max(most);

/** What a scan can be given. */
export const scanSettings = {
  stale_days: days(3650)
    .default(14)
    .meta({ description: 'What was neither written nor confirmed for so long is old.' }),
  orphan_days: days(3650).default(7).meta({ description: 'A branch to which nobody wrote for so long is abandoned.' }),
  pr_stale_days: days(3650)
    .default(3)
    .meta({ description: 'A pull request that nobody reviewed for so long waits too long.' }),
  similarity_threshold: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.75)
    .meta({ description: 'The share of words that two texts have in common when they speak of the same.' }),
  incident_threshold: z
    .int()
    .min(2)
    .max(1000)
    .default(2)
    .meta({ description: 'So many failures at one path are more than chance.' }),
};

export const patternScan = z
  .object({
    scan_id: scanId,
    entity_path: s.pathGlob.nullable().meta({ description: 'Where it looks; null for everywhere.' }),
    for_agent: s.agentId.nullable().meta({ description: 'Only patterns that concern this agent; null for all.' }),
    stale_days: z.int(),
    orphan_days: z.int(),
    pr_stale_days: z.int(),
    similarity_threshold: z.number(),
    incident_threshold: z.int(),
    status: z
      .enum(['running', 'done', 'cancelled', 'failed'])
      .meta({ description: '`failed`: it could not go on, and was given up after several attempts.' }),
    phase: z
      .enum(['entries', 'agents', 'branches', 'clearing', 'ended'])
      .meta({ description: 'What it looks at now.' }),
    progress: z.number().meta({ description: 'How far it is, 0 to 1.' }),
    scanned_entries: z.int(),
    scanned_outcomes: z.int(),
    scanned_agents: z.int(),
    scanned_branches: z.int(),
    patterns_found: z.int().meta({ description: 'How many it found, new ones and others.' }),
    patterns_opened: z.int().meta({ description: 'How many of these are new, or came back.' }),
    patterns_cleared: z.int().meta({ description: 'How many open ones it did not find any more.' }),
    agent_id: s.agentId.meta({ description: 'Who asked for it.' }),
    created_at: s.utc,
    ended_at: s.utc.nullable(),
  })
  .meta({ id: 'PatternScan', description: 'A search for patterns, in the background.' });

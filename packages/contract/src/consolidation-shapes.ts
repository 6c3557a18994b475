import * as z from 'zod';
import * as s from './shapes.ts';

export const MAX_PROPOSAL_SOURCES = 20;

const strategies = ['exact_duplicate', 'near_duplicate', 'belief_overtaken', 'contradiction', 'suggested'] as const;
const strategy = z.enum(strategies).meta({
  id: 'ConsolidationStrategy',
  description:
    '`exact_duplicate`: the same value; `near_duplicate`: nearly the same meaning; `belief_overtaken`: a validated fact says ' +
    'it; `contradiction`: agents disagree; `suggested`: an agent asked for it.',
});

export const proposalStatus = z.enum(['pending', 'approved', 'rejected']);
export const proposalFilter = z
  .enum([...proposalStatus.options, 'all'])
  .default('pending')
  .meta({ description: 'Only proposals that stand so.' });
export const proposalId = s.text(64).min(1).meta({ description: 'The id that the proposal was given.' });

const goldenChange = z
  .object({
    question: z.string(),
    entity_path: s.entityPath.meta({ description: 'Of the entry that answers it now.' }),
    key: s.key,
    change: z.enum(['moves', 'changes']).meta({
      description:
        '`moves`: that entry would be deleted, and the kept one left to answer; `changes`: it would say something else.',
    }),
  })
  .meta({ id: 'GoldenChange' });

const source = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    version: z.int().meta({ description: 'The version that the proposal is about; a later one makes it void.' }),
    agent_id: s.agentId.meta({ description: 'Who wrote that version.' }),
    value: s.anyJson.meta({
      description:
        'What that version says; of a long value, the first 240 characters of its text. Null where it is gone.',
    }),
    value_truncated: z.boolean(),
    confidence: s.confidence,
    evidence_status: s.evidenceStatus,
    kept: z.boolean().meta({ description: 'Approval keeps this entry and removes the others.' }),
  })
  .meta({ id: 'ProposalSource' });

export const candidate = z
  .object({
    entity_path: s.entityPath.meta({ description: 'Of the entry that is kept.' }),
    key: s.key.meta({ description: 'Of the entry that is kept.' }),
    branch: s.branch,
    strategy,
    risk_tier: z.literal('review_required'),
    sources: z.array(source),
    source_entry_keys: z.array(z.string()).meta({ description: '`entity_path/key` of each source.' }),
    proposed_value: s.anyJson.meta({ description: 'What the entry that is kept will say.' }),
    proposed_confidence: s.confidence,
    compression_ratio: z.number().meta({ description: 'Entries before, divided by entries after.' }),
    rationale: z.string(),
    golden_queries: z
      .array(goldenChange)
      .optional()
      .meta({ description: 'In lists: questions with a known answer that approval would answer differently.' }),
  })
  .meta({ id: 'ConsolidationCandidate', description: 'What a run would propose.' });

export const proposal = candidate
  .extend({
    proposal_id: proposalId,
    status: proposalStatus,
    agent_id: s.agentId.meta({ description: 'On whose behalf it was proposed.' }),
    created_at: s.utc,
    reviewed_by: s.agentId.nullable(),
    reviewed_at: s.utc.nullable(),
    seq: z.int(),
  })
  .meta({ id: 'ConsolidationProposal', description: 'One entry in place of several, until somebody decides.' });

export const demotion = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    version: z.int(),
    reason: z.enum(['exact_duplicate', 'belief_overtaken', 'stale']),
    confidence_before: s.confidence,
    confidence_after: s.confidence,
    why: z.string(),
  })
  .meta({ id: 'Demotion', description: 'An entry that counts for less; its value and version stay.' });

export const report = z
  .object({
    run_id: z.string().nullable().meta({ description: 'Null for a preview, which is no run.' }),
    status: z.enum(['running', 'done', 'failed', 'preview']),
    entity_path: s.pathGlob.meta({ description: 'What the run covers; `*` is everything.' }),
    branch: s.branch,
    entries_looked_at: z.int(),
    auto_archived: z.int().meta({ description: 'Entries that were demoted; in a preview, that would be.' }),
    proposals_created: z.int(),
    proposals_auto_merged: z.literal(0).meta({ description: 'Nothing is merged without approval.' }),
    compression_ratio: z.number().meta({ description: 'Entries looked at, divided by those not demoted.' }),
    is_full: z.boolean().meta({
      description: 'There was no room for more proposals; the next run goes on here once some are decided.',
    }),
    progress: z.number().min(0).max(1).meta({ description: 'How much of the log is read, of what the run covers.' }),
    embedder: z.string().nullable().meta({ description: 'Null where meaning was not compared.' }),
    started_at: s.utc.nullable(),
    consolidated_at: s.utc.nullable().meta({ description: 'When the run ended; null as long as it goes on.' }),
  })
  .meta({ id: 'ConsolidationReport' });

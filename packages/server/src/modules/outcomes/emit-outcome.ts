import type { Input } from '@mem-service/contract';
import { EVERYONE, type Work } from '../../kernel/index.ts';
import type * as queries from '../ledger/index.ts';
import type { SessionReport } from '../traces/index.ts';
import type { OutcomeAuthor, WeighedCauses } from './evidence.ts';
import { isReplay } from './rules/steps.ts';

type OutcomeFacts = { author: OutcomeAuthor; weighed: WeighedCauses; report: SessionReport };

/** An outcome whose causes are all private is visible to its agent only. */
const visibilityOf = ({ live }: WeighedCauses, agentId: string): string =>
  live.size > 0 && [...live].every((entry) => entry.shared === 0) ? agentId : EVERYONE;

/** Appends the event of an outcome to the log. */
export function emitOutcome(
  work: Work,
  input: Input<'outcomes.commit'>,
  { author, weighed, report }: OutcomeFacts,
): queries.OutcomeRow {
  const { outcome_ref, outcome_type, causal_confidence, branch, trace_follows } = input;
  const { agent_id, session } = author;
  const { ids } = work.services;
  const visible_to = visibilityOf(weighed, agent_id);
  const trace_id = trace_follows ? null : ids.next(work.now);
  const shown = [...weighed.live].filter((entry) => visible_to !== EVERYONE || entry.shared === 1);
  const moved = weighed.steps.some((step) => step.causes.some((cause) => cause.status === 'applied'));
  const seq = work.emit({
    event_type: 'outcome',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: {
      outcome_ref,
      outcome_type,
      causal_confidence,
      causal_entries: shown.length,
      entries_updated: moved ? shown.length : 0,
      trace_id,
    },
    session,
  });
  return {
    account_id: work.account_id,
    seq,
    outcome_id: ids.next(work.now),
    outcome_ref,
    outcome_type,
    agent_id,
    session,
    branch,
    causal_confidence,
    is_evidence: Number(!isReplay(report.header.attributes)),
    trace_id,
    visible_to,
    committed_at: work.now,
    document: '',
  };
}

import { isSuccess, type OutcomeType } from './outcome-types.ts';
import type { OutcomeModel } from './posterior.ts';

/** How much of a success counts that an author reports on what only itself has confirmed so far. */
const OWN_SHARE = 0.5;

type OwnWord = {
  model: OutcomeModel;
  outcome_type: OutcomeType;
  /** Who reports the outcome. */
  agent_id: string;
  written_by: string | null;
  validators: readonly string[];
};

/**
 * The share of an outcome that counts for an entry. An author tests its own words with the mind that wrote them, so its
 * successes count half until another agent has had one. Failures count in full: nobody gains by them. The multiplicative
 * model has fixed factors, and a smaller causal confidence would turn its success into a loss.
 */
export function shareOf({ model, outcome_type, agent_id, written_by, validators }: OwnWord): number {
  const isOwn = written_by === agent_id && validators.every((name) => name === agent_id);
  return model === 'evidence' && isOwn && isSuccess(outcome_type) ? OWN_SHARE : 1;
}

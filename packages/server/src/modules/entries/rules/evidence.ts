export type EvidenceStatus = 'untested' | 'validated' | 'contested' | 'discredited';

export type Evidence = {
  outcome_count: number;
  success_count: number;
  failure_count: number;
  evidence_success: number;
  evidence_failure: number;
  discredited_at: number | null;
};

/** Classifies how well outcomes support an entry. The share of successes is compared with a neutral prior of one half. */
export function evidenceStatus(evidence: Evidence, confidence: number): EvidenceStatus {
  const { success_count, failure_count, outcome_count } = evidence;
  if (evidence.discredited_at !== null) return 'discredited';
  if (success_count + failure_count === 0) {
    if (outcome_count === 0) return 'untested';
    return confidence >= 0.5 ? 'validated' : 'contested';
  }
  if (failure_count === 0) return 'validated';
  const share = (1 + evidence.evidence_success) / (2 + evidence.evidence_success + evidence.evidence_failure);
  if (share >= 0.7 && outcome_count >= 2) return 'validated';
  return success_count >= 4 && failure_count <= 1 ? 'validated' : 'contested';
}

/** The order of evidence: what outcomes support, what nobody has tested, what they question, what they refute. */
const RANKS: Record<EvidenceStatus, number> = { validated: 3, untested: 2, contested: 1, discredited: 0 };

export const evidenceRank = (status: EvidenceStatus): number => RANKS[status];

/** How far outcomes speak for an entry, from -1 to 1; 0 where they say nothing. */
export function evidenceSignal({ discredited_at, evidence_success, evidence_failure }: Evidence): number {
  if (discredited_at !== null) return -1;
  return (evidence_success - evidence_failure) / (1 + evidence_success + evidence_failure);
}

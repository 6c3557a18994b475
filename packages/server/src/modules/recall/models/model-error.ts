/** Why a server outside the service gave no usable answer. */
export type FailureReason = (typeof FAILURE_REASONS)[number];
const FAILURE_REASONS = ['timeout', 'unreachable', 'refused', 'limited', 'bad_answer', 'budget'] as const;

export type ModelFailure = {
  reason: FailureReason;
  /** Without anything of the texts or the key. */
  detail: string;
  retry_after_ms?: number | undefined;
  /** What the server wrote itself; for the operator alone. */
  server_text?: string | undefined;
};

export const failureText = ({ reason, detail }: ModelFailure): string => `${reason}: ${detail}`;

/** Undefined where the text is about something else. */
export const reasonIn = (text: string): FailureReason | undefined =>
  FAILURE_REASONS.find((reason) => text.startsWith(`${reason}: `));

type ErrorFacts = { retryAfterMs?: number | undefined; server_text?: string; isAboutTexts?: boolean };

export class ModelError extends Error {
  override name = 'ModelError';
  readonly reason: FailureReason;
  readonly facts: ErrorFacts;

  constructor(reason: FailureReason, detail: string, facts: ErrorFacts = {}) {
    super(detail);
    this.reason = reason;
    this.facts = facts;
  }
}

/** What came of asking a server: an answer, or why there is none. */
export type AskedOutcome<T> = { answer: T } | { failure: ModelFailure };

export async function outcomeOf<T>(asked: Promise<T>): Promise<AskedOutcome<T>> {
  try {
    return { answer: await asked };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { reason, message: detail, facts } = error;
    return { failure: { reason, detail, retry_after_ms: facts.retryAfterMs, server_text: facts.server_text } };
  }
}

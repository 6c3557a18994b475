import { Fault, type judgeShapes, ModelError, postJson, type Services } from '@mem-service/server/module';
import { finishCall, reserveCall } from '../budgets/reserve.ts';
import { modelOf, newModelCall, priceOfCall } from './model-of.ts';
import { readChatAnswer } from './rules/chat-answer.ts';
import {
  type ChatHabits,
  type ChatMessage,
  mostTokensOf,
  otherHabits,
  requestBody,
  USUAL_HABITS,
} from './rules/chat-request.ts';
import { noteOutcome } from './warnings.ts';

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

export type QuestionToModel<T> = {
  account_id: string;
  /** One of those that the operator offers; the usual one where it is left out. */
  model: string | undefined;
  messages: readonly ChatMessage[];
  /** The answer has no more tokens. */
  max_tokens: number;
  /** Makes something of the answer, or says in words why it cannot be used. */
  take: (text: string) => { taken: T } | { problem: string };
  signal?: AbortSignal | undefined;
};

/**
 * Why a model gave no usable answer, in words, and as an error in one word that quotes nothing. `isOfServer`: another question would have
 * had none either.
 */
export type UnansweredQuestion = { reason: string; error: string; isOfServer: boolean };
export type QuestionOutcome<T> = { call: judgeShapes.JudgeModelCall } & (
  | { taken: T }
  | { failure: UnansweredQuestion }
);

/** By address and model: what it takes. */
const knownHabits = new Map<string, ChatHabits>();

/**
 * Asks the model that the operator named, within the budget of the account, a few times if need be. No transaction and no
 * connection is held meanwhile. Throws a Fault where there is no such model, or nothing is left of the budget.
 */
export async function askModel<T>(services: Services, question: QuestionToModel<T>): Promise<QuestionOutcome<T>> {
  const placed = modelOf(services, question.model);
  const call = newModelCall(services, placed);
  const started = performance.now();
  for (;;) {
    const attempt = await tryOnce(services, { ...question, ...placed }, call).catch((error) => {
      // What was asked already is to be recorded.
      if (call.attempts === 0 || !isUnasked(error)) throw error;
      return { reason: error.message, error: error.code, isOfServer: false, waitMs: null };
    });
    call.latency_ms = Math.round(performance.now() - started);
    if ('taken' in attempt) return { call, taken: attempt.taken };
    const { waitMs, reason, error, isOfServer } = attempt;
    if (waitMs === null || waitMs > LONGEST_WAIT_MS || call.attempts >= MAX_ATTEMPTS || question.signal?.aborted)
      return { call: { ...call, error }, failure: { reason, error, isOfServer } };
    await waitFor(Math.max(waitMs, FIRST_WAIT_MS * 2 ** (call.attempts - 1)), question.signal);
  }
}

const waitFor = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });

type PlacedQuestion<T> = QuestionToModel<T> & ReturnType<typeof modelOf>;
/** `waitMs`: after which it may be asked again; null where that would not help. */
type FailedAttempt = UnansweredQuestion & { waitMs: number | null };

async function tryOnce<T>(
  services: Services,
  question: PlacedQuestion<T>,
  call: judgeShapes.JudgeModelCall,
): Promise<{ taken: T } | FailedAttempt> {
  const { account_id, server, model, messages, max_tokens } = question;
  const most = priceOfCall(services, { model, input_tokens: mostTokensOf(messages), output_tokens: max_tokens });
  const reservation = await reserveCall(services, { account_id, model, usd: most });
  call.attempts += 1;
  const place = `${server.url} ${model}`;
  const habits = knownHabits.get(place) ?? USUAL_HABITS;
  try {
    const { key, url, timeout_ms: timeoutMs } = server;
    const body = requestBody({ model, messages, max_tokens }, habits);
    const { signal } = question;
    const answer = readChatAnswer(
      await postJson({ ...{ url, key, body, timeoutMs, maxBytes: MAX_ANSWER_BYTES }, ...(signal ? { signal } : {}) }),
    );
    const { input_tokens, output_tokens } = answer;
    const cost = answer.cost_usd ?? priceOfCall(services, { model, input_tokens, output_tokens }) ?? most;
    const taken = answer.text === null ? { problem: answer.problem ?? '' } : question.take(answer.text);
    await finishCall(services, reservation, {
      ...{ failed: Number('problem' in taken), cost_usd: cost ?? 0, input_tokens, output_tokens },
    });
    addTo(call, { cost_usd: cost, input_tokens, output_tokens });
    noteOutcome(services, undefined);
    return 'taken' in taken
      ? taken
      : {
          reason: `the model gave no usable answer: ${taken.problem}`,
          error: 'unusable',
          isOfServer: false,
          waitMs: 0,
        };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const cost_usd = isUnpaid(error) ? 0 : most;
    await finishCall(services, reservation, { failed: 1, cost_usd: cost_usd ?? 0, input_tokens: 0, output_tokens: 0 });
    addTo(call, { cost_usd, input_tokens: 0, output_tokens: 0 });
    if (!question.signal?.aborted) noteOutcome(services, error);
    const other = error.facts.isAboutTexts ? otherHabits(habits, error.facts.server_text ?? '') : undefined;
    if (other) knownHabits.set(place, other);
    return failedBy(error, other !== undefined);
  }
}

const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** The server refused it, or never got it. An answer that did not arrive may cost as much as one that did. */
const isUnpaid = ({ reason, message, facts }: ModelError): boolean =>
  facts.server_text !== undefined || (reason === 'unreachable' && NOT_CONNECTED.includes(message));

function failedBy({ reason, message, facts }: ModelError, isTriedOtherwise: boolean): FailedAttempt {
  const isOfServer = reason === 'unreachable' || reason === 'limited' || (reason === 'refused' && !facts.isAboutTexts);
  const mayHelp = reason !== 'refused' || isTriedOtherwise;
  // A server that answers is reached, whatever the answer.
  const error = reason === 'unreachable' && facts.server_text !== undefined ? 'failed' : reason;
  return {
    reason: error === 'failed' ? `its server failed: ${message}` : `${reason}: ${message}`,
    error,
    isOfServer,
    waitMs: mayHelp ? (facts.retryAfterMs ?? 0) : null,
  };
}

type AttemptTook = Pick<judgeShapes.JudgeModelCall, 'cost_usd' | 'input_tokens' | 'output_tokens'>;

function addTo(call: judgeShapes.JudgeModelCall, took: AttemptTook): void {
  call.input_tokens += took.input_tokens;
  call.output_tokens += took.output_tokens;
  call.cost_usd = call.cost_usd === null || took.cost_usd === null ? null : call.cost_usd + took.cost_usd;
}

/** Whether a model could not be asked because the budget is spent, or the operator offers none. */
export const isUnasked = (error: unknown): error is Fault =>
  error instanceof Fault && (error.code === 'budget_spent' || error.code === 'model_not_configured');

import { type judgeShapes, redactInTurns, type Services } from '@mem-service/server/module';
import {
  beforeJudging,
  type JudgedTrace,
  type JudgeFinding,
  judgeInTurns,
  newMatchers,
  noOpinion,
  outlineForModel,
  readModelVerdict,
  verdictMessages,
} from '../evaluation/index.ts';
import { askModel } from './ask-model.ts';

/** A verdict is short. Models that think before they answer take some for that. */
const MAX_ANSWER_TOKENS = 2_000;

export type ModelFinding = {
  finding: JudgeFinding;
  /** Null where the judge does not apply. */
  model_call: judgeShapes.JudgeModelCall | null;
  is_partial: boolean;
  /** The server failed, whatever it was asked: it may be worth to wait. */
  isOfServer: boolean;
};

export type ModelJudging = {
  account_id: string;
  definition: judgeShapes.ModelDefinition;
  trace: JudgedTrace;
  signal?: AbortSignal | undefined;
};

/**
 * Has a language model judge a trace. What goes wrong there is an error of the judge. Throws a Fault where no model can be asked, or
 * nothing is left of the budget.
 */
export async function judgeByModel(services: Services, judging: ModelJudging): Promise<ModelFinding> {
  const { account_id, definition, trace, signal } = judging;
  const left = await judgeInTurns(account_id, beforeJudging(definition, trace, newMatchers()));
  if (left) return { finding: left, model_call: null, is_partial: trace.is_partial, isOfServer: false };
  const { outline, is_cut } = outlineForModel(trace);
  const outcome = await askModel(services, {
    ...{ account_id, model: definition.model, max_tokens: MAX_ANSWER_TOKENS, signal },
    messages: verdictMessages(definition.prompt, await redactInTurns(outline)),
    take: (text) => readModelVerdict(text, trace, definition.pass_at),
  });
  const rest = { model_call: outcome.call, is_partial: trace.is_partial || is_cut };
  if ('taken' in outcome) return { finding: outcome.taken, ...rest, isOfServer: false };
  const { reason, isOfServer } = outcome.failure;
  return { finding: noOpinion('error', reason), ...rest, isOfServer };
}

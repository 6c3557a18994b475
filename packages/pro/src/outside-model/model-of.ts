import { Fault, type judgeShapes, priceOf, pricesOf, type Services, toIso } from '@mem-service/server/module';
import { providerOf } from './rules/provider.ts';

type PlacedModel = { server: NonNullable<Services['settings']['judging_server']>; model: string };

/** The server to ask and the model that is meant; a Fault where the operator offers none, or not this one. */
export function modelOf({ settings }: Pick<Services, 'settings'>, model: string | undefined): PlacedModel {
  const { judging_server: server } = settings;
  if (server === null)
    throw new Fault('model_not_configured', 'the operator has named no language model: see MEM_JUDGE_URL');
  const [usual = ''] = server.models;
  if (model !== undefined && !server.models.includes(model))
    throw new Fault('model_not_configured', `the operator does not offer the model ${model}: see MEM_JUDGE_MODEL`, {
      model,
    });
  return { server, model: model ?? usual };
}

type PricedTokens = { model: string; input_tokens: number; output_tokens: number };

/** Dollars; null where the price is not known, or no tokens were counted. */
export function priceOfCall({ settings }: Pick<Services, 'settings'>, call: PricedTokens): number | null {
  const own = settings.judging_server?.price;
  return priceOf(own ? { [call.model]: own } : pricesOf(settings), call);
}

/** The record of a call that has not been made yet. */
export function newModelCall(
  { clock, ids }: Pick<Services, 'clock' | 'ids'>,
  { server, model }: PlacedModel,
): judgeShapes.JudgeModelCall {
  const now = clock.now();
  return {
    ...{ call_id: ids.next(now), provider: providerOf(server.url), model, started_at: toIso(now) },
    ...{ input_tokens: 0, output_tokens: 0, cost_usd: 0, latency_ms: 0, error: null, attempts: 0 },
  };
}

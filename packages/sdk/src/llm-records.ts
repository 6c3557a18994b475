import type { JsonObject } from '@mem-service/contract';
import { cut } from './payload.ts';
import type { LlmCallOptions, LlmCallResult } from './span-types.ts';

const countOf = (tokens: number | undefined) =>
  Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined;

const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The two records of a language model call, which share one id. */
export function llmRecords(
  options: LlmCallOptions,
  result: LlmCallResult,
  span: JsonObject,
): { call: JsonObject; span: JsonObject } {
  const both = given({
    model: cut(result.model || options.model || 'unknown', 256),
    input_tokens: countOf(result.inputTokens),
    output_tokens: countOf(result.outputTokens),
    cost_usd: result.costUsd,
  });
  const call = given({
    ...both,
    call_id: span.span_id,
    provider: options.provider,
    cached_input_tokens: countOf(result.cachedInputTokens),
    temperature: options.temperature,
    finish_reason: result.finishReason === undefined ? undefined : cut(result.finishReason, 64),
    error: span.error,
    latency_ms: span.duration_ms,
    started_at: span.started_at,
  });
  return { call, span: { ...span, ...both } };
}

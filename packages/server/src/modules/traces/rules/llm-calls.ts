import { type FieldError, isWithinChars } from '@mem-service/contract';
import { type PriceTable, priceOf, roundUsd } from './llm-prices.ts';
import { redactJson } from './redact-json.ts';
import { toUtc } from './timestamps.ts';

export type RecordedLlmCall = {
  call_id: string;
  model: string;
  provider: string;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  latency_ms: number | null;
  started_at: string;
  [extra: string]: unknown;
};

/** The context of a call: prices, and values to fill in. */
export type CallContext = { prices: PriceTable; now: string; newId: () => string };

type GivenCall = Readonly<Record<string, unknown>>;

const MAX_TEXT_CHARS = 256;

/** For each known field: whether a value is valid, and the message when it is not. */
const FIELDS = new Map<string, readonly [(value: unknown) => boolean, string]>(
  Object.entries({
    call_id: [isText, `must be text of 1 to ${MAX_TEXT_CHARS} characters`],
    model: [isText, `must be text of 1 to ${MAX_TEXT_CHARS} characters`],
    provider: [(value) => value === '' || isText(value), `must be text of at most ${MAX_TEXT_CHARS} characters`],
    input_tokens: [isCount, 'must be a whole number, 0 or more'],
    output_tokens: [isCount, 'must be a whole number, 0 or more'],
    cached_input_tokens: [isCount, 'must be a whole number, 0 or more'],
    cost_usd: [isAmount, 'must be a number, 0 or more'],
    latency_ms: [isAmount, 'must be a number, 0 or more'],
    started_at: [(value) => toUtc(value) !== null, 'must be a time in ISO 8601'],
  }),
);

/** Normalises a single recorded call; throws on invalid fields. */
export function normalizeCall(
  given: GivenCall,
  context: CallContext,
): { call: RecordedLlmCall } | { errors: FieldError[] } {
  const errors = [...FIELDS].flatMap(([path, [isGood, message]]) =>
    isGiven(given[path]) && !isGood(given[path]) ? [{ path, message }] : [],
  );
  if (!isGiven(given.model)) errors.unshift({ path: 'model', message: 'is required' });
  return errors.length > 0 ? { errors } : { call: fill(given, context) };
}

/** Normalises calls from a list. Drops invalid fields, and calls with neither a model nor tokens. */
export function normalizeCalls(given: readonly unknown[], context: CallContext): RecordedLlmCall[] {
  return given
    .filter((call): call is GivenCall => typeof call === 'object' && call !== null && !Array.isArray(call))
    .map((call) =>
      Object.fromEntries(Object.entries(call).filter(([name, value]) => FIELDS.get(name)?.[0](value) ?? true)),
    )
    .filter(({ model, input_tokens, output_tokens }) => isGiven(model) || Boolean(input_tokens || output_tokens))
    .map((call) => fill(call, context));
}

/** Completes a call whose fields are valid. */
function fill(given: GivenCall, { prices, now, newId }: CallContext): RecordedLlmCall {
  const { call_id, model, provider, input_tokens, output_tokens, cost_usd, latency_ms, started_at, ...extra } = given;
  const call = {
    ...(redactJson(Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined))) as object),
    call_id: isText(call_id) ? call_id : newId(),
    model: isText(model) ? model.trim() : '',
    provider: isText(provider) ? provider.trim() : '',
    input_tokens: isCount(input_tokens) ? input_tokens : 0,
    output_tokens: isCount(output_tokens) ? output_tokens : 0,
    latency_ms: isAmount(latency_ms) ? latency_ms : null,
    started_at: toUtc(started_at) ?? now,
  };
  return { ...call, cost_usd: isAmount(cost_usd) ? cost_usd : priceOf(prices, call) };
}

export type LlmTotals = {
  total_llm_calls: number;
  total_input_tokens: number;
  total_output_tokens: number;
  total_tokens: number;
  /** Null unless there are calls and every one has a cost. */
  total_cost_usd: number | null;
  /** The sum of the known costs; null where none is known. */
  known_cost_usd: number | null;
};

export function totalsOf(
  calls: readonly Pick<RecordedLlmCall, 'input_tokens' | 'output_tokens' | 'cost_usd'>[],
): LlmTotals {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const costs = calls.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]));
  const known_cost_usd = costs.length === 0 ? null : roundUsd(sum(costs));
  const total_input_tokens = sum(calls.map((call) => call.input_tokens));
  const total_output_tokens = sum(calls.map((call) => call.output_tokens));
  return {
    total_llm_calls: calls.length,
    total_input_tokens,
    total_output_tokens,
    total_tokens: total_input_tokens + total_output_tokens,
    total_cost_usd: costs.length === calls.length ? known_cost_usd : null,
    known_cost_usd,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || !isWithinChars(value, MAX_TEXT_CHARS)) return false;
  return value.isWellFormed() && !value.includes('\0');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

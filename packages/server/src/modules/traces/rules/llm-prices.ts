import type { LlmPrice } from '../../../kernel/index.ts';

/** Prices by the name of a model, or a prefix of it. */
export type PriceTable = Readonly<Record<string, LlmPrice>>;

export type PricedCall = {
  model: string;
  provider?: string;
  input_tokens: number;
  output_tokens: number;
  /** Those of the input tokens that came from the provider's cache. */
  cached_input_tokens?: unknown;
};

/**
 * The cost of a call, by the longest name in the table that is a prefix of the model. Null when none is, and when no tokens
 * were counted: that does not mean the call was free.
 */
export function priceOf(table: PriceTable, call: PricedCall): number | null {
  const price = findPrice(table, call);
  if (price === undefined || call.input_tokens + call.output_tokens === 0) return null;
  const known = typeof call.cached_input_tokens === 'number' ? call.cached_input_tokens : 0;
  const cached = Math.min(Math.max(0, known), call.input_tokens);
  const input = (call.input_tokens - cached) * price.input_per_1m;
  const reused = cached * (price.cached_input_per_1m ?? price.input_per_1m);
  return roundUsd((input + reused + call.output_tokens * price.output_per_1m) / 1_000_000);
}

/** Rounds off the errors of floating-point addition. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}

function findPrice(table: PriceTable, { model, provider = '' }: PricedCall): LlmPrice | undefined {
  const names = namesOf(model, provider);
  let found: LlmPrice | undefined;
  let longest = 0;
  for (const [given, price] of Object.entries(table)) {
    const prefix = given.trim().toLowerCase();
    if (prefix.length > longest && names.some((name) => isOf(name, prefix))) [found, longest] = [price, prefix.length];
  }
  return found;
}

/** `us.anthropic.` and similar: the prefixes that a cloud gives to the models of other vendors. */
const CLOUD_VENDOR = /^(?:[a-z]{2,6}\.)?(?:amazon|anthropic|cohere|deepseek|meta|mistral|openai)\./;

/** All names of a model: with its provider, without resellers, and with dashes for dots. */
function namesOf(model: string, provider: string): string[] {
  const whole = model.trim().toLowerCase();
  if (whole === '') return [];
  const parts = whole.split('/');
  const plain = parts.map((_, i) => parts.slice(i).join('/').replace(CLOUD_VENDOR, ''));
  const names = [`${provider.trim().toLowerCase()}/${whole}`, ...plain];
  return [...names, ...names.map((name) => name.replace(/(?<=\d)\.(?=\d)/g, '-'))];
}

/** After the name of a model: another version of it, which has another price. */
const OTHER_VERSION = /^(?:[A-Za-z0-9]|\.\d|-\d{1,2}(?!\d))/;
/** Models whose input or output is not counted in tokens of text. */
const OTHER_MEDIUM = /(?:^|-)(?:audio|image|live|realtime|transcribe|tts)(?:-|$)/;

/** `gpt-4o` is also `gpt-4o-2024-08-06`, but neither `gpt-4.1` nor `gpt-4o-audio-preview`. */
function isOf(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const rest = name.slice(prefix.length);
  return !OTHER_MEDIUM.test(rest) && (!OTHER_VERSION.test(rest) || /[^a-z0-9]$/.test(prefix));
}

/** Parses an operator's table: names and prices, either at the top level or under `models`. */
export function parsePriceTable(json: unknown): PriceTable {
  if (!isObject(json)) throw new Error('the price table must be an object');
  if (json.currency !== undefined && json.currency !== 'USD') throw new Error('the currency of prices must be USD');
  const models = json.models ?? json;
  if (!isObject(models)) throw new Error('models must be an object of prices by model');
  return Object.fromEntries(Object.entries(models).map(([name, price]) => [name, parsePrice(name, price)]));
}

function parsePrice(name: string, given: unknown): LlmPrice {
  if (name.trim() === '') throw new Error('a price must have the name of a model');
  if (!isObject(given)) throw new Error(`${name} must be an object with input_per_1m and output_per_1m`);
  const { input_per_1m, output_per_1m, cached_input_per_1m } = given;
  if (!isAmount(input_per_1m)) throw new Error(`${name}.input_per_1m must be a number, 0 or more`);
  if (!isAmount(output_per_1m)) throw new Error(`${name}.output_per_1m must be a number, 0 or more`);
  if (cached_input_per_1m === undefined) return { input_per_1m, output_per_1m };
  if (!isAmount(cached_input_per_1m)) throw new Error(`${name}.cached_input_per_1m must be a number, 0 or more`);
  return { input_per_1m, output_per_1m, cached_input_per_1m };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

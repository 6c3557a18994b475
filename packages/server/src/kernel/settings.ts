export type UsagePlan = {
  /** Null: no limit. */
  ops_per_month: number | null;
};

export type LlmPrice = { input_per_1m: number; output_per_1m: number; cached_input_per_1m?: number | undefined };

/** How the service judges and keeps, as its operator wants it. */
export type Settings = {
  outcome_model: 'evidence' | 'multiplicative';
  /** Null: memory does not fade. */
  half_life_days: number | null;
  trace_signing_key: string | null;
  span_payload_max_chars: number;
  /** By model name or the beginning of one; null: those that come with the service. */
  llm_prices: Readonly<Record<string, LlmPrice>> | null;
  /** By name; null: those that come with the service. */
  plans: Readonly<Record<string, UsagePlan>> | null;
  /** Whether what goes beyond a plan is refused. */
  quota_enforcement: 'off' | 'block';
  upgrade_url: string | null;
  plan_comparison_url: string | null;
};

export const SETTINGS: Settings = {
  outcome_model: 'evidence',
  half_life_days: null,
  trace_signing_key: null,
  span_payload_max_chars: 32_000,
  llm_prices: null,
  plans: null,
  quota_enforcement: 'off',
  upgrade_url: null,
  plan_comparison_url: null,
};

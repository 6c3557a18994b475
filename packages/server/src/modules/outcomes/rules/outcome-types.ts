type Meaning = {
  success: boolean;
  /** The weight of one outcome in the evidence model. */
  severity: number;
  /** The factor on the confidence in the multiplicative model. */
  multiplier: number;
};

const SUCCESS: Meaning = { success: true, severity: 1, multiplier: 1.03 };
const MINOR_FAILURE: Meaning = { success: false, severity: 1.5, multiplier: 0.92 };
const FAILURE: Meaning = { success: false, severity: 2, multiplier: 0.9 };
const CRITICAL_FAILURE: Meaning = { success: false, severity: 3, multiplier: 0.85 };

/** The last four are older names of the first. They mean the same and are stored as given. */
export const OUTCOME_TYPES = {
  success: SUCCESS,
  minor_failure: MINOR_FAILURE,
  failure: FAILURE,
  critical_failure: CRITICAL_FAILURE,
  clean_deploy: SUCCESS,
  regression: MINOR_FAILURE,
  p2_incident: FAILURE,
  p1_incident: CRITICAL_FAILURE,
} as const satisfies Record<string, Meaning>;

export type OutcomeType = keyof typeof OUTCOME_TYPES;

export const isSuccess = (type: OutcomeType): boolean => OUTCOME_TYPES[type].success;

export const FAILURE_TYPES: readonly OutcomeType[] = (Object.keys(OUTCOME_TYPES) as OutcomeType[]).filter(
  (type) => !isSuccess(type),
);

/** Ignores case; undefined for an unknown name. */
export function parseOutcomeType(text: string): OutcomeType | undefined {
  const name = text.toLowerCase();
  return Object.hasOwn(OUTCOME_TYPES, name) ? (name as OutcomeType) : undefined;
}

import { FailureWarnings, type ModelError, type Services } from '@mem-service/server/module';

/** One per service. */
const warnings = new WeakMap<Services, FailureWarnings>();

/** Counts a call for the operator, and warns when the server begins to fail. */
export function noteOutcome(services: Services, error: ModelError | undefined): void {
  const known = warnings.get(services) ?? new FailureWarnings(services);
  warnings.set(services, known);
  known.note('judge', error && { reason: error.reason, detail: error.message });
  const key = `judge ${error?.reason ?? 'ok'}`;
  services.modelCalls.set(key, (services.modelCalls.get(key) ?? 0) + 1);
}

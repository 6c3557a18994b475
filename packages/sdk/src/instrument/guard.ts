/** Reports errors of the instrumentation, so that none of them reaches the instrumented call. */
export type ErrorGuard = <T>(work: () => T) => T | undefined;

export const createErrorGuard =
  (report: (error: unknown) => void): ErrorGuard =>
  (work) => {
    try {
      return work();
    } catch (error) {
      report(error);
      return undefined;
    }
  };

/** Whatever goes wrong in what we do beside a call is told, and never reaches the call. */
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

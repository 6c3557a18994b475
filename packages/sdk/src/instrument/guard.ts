/** Whatever goes wrong in what we do beside a call is told, and never reaches the call. */
export type Guard = <T>(work: () => T) => T | undefined;

export const createGuard =
  (report: (error: unknown) => void): Guard =>
  (work) => {
    try {
      return work();
    } catch (error) {
      report(error);
      return undefined;
    }
  };

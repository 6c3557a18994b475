import { type DestinationStream, type Logger, pino } from 'pino';

/** Logs structured lines to standard error. Callers never pass keys or values; headers are removed in any case. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['req.headers', '*.value', '*.api_key', '*.authorization'],
      serializers: { err: describeError },
    },
    destination ?? pino.destination({ fd: 2, sync: true }),
  );
}

/**
 * Keeps type, message, code, stack and cause. Other members are dropped: a database quotes whole rows in its error
 * details.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

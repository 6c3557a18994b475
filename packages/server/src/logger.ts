import { type DestinationStream, type Logger, pino } from 'pino';

/** Structured lines on standard error. Nothing that holds a key or a value is ever handed to it; headers are cut out anyway. */
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

/** Where it happened and what it was. The rest is left out: a database quotes whole rows in the details of its errors. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

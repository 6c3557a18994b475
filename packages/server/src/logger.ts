import { type Logger, pino } from 'pino';

/** Structured lines on standard error. Nothing that holds a key or a value is ever handed to it; headers are cut out anyway. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['req.headers', '*.value', '*.api_key', '*.authorization'],
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

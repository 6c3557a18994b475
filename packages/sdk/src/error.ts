import type { FaultCode, Problem } from '@mem-service/contract';
import { faultCodes } from '@mem-service/contract/client';
import { detailsOf, type MemErrorDetails } from './error-details.ts';

/** A failed call: the problem that the service answered, or `unavailable` with status 0 if it could not be reached. */
export class MemError<C extends FaultCode = FaultCode> extends Error {
  override name = 'MemError';
  /** The problem as received. */
  readonly problem: Problem;
  /**
   * The members that belong to the code, such as `currentVersion` of a `version_conflict`. `isMemError` narrows their
   * type.
   */
  readonly details: MemErrorDetails<C>;
  /** Seconds to wait before the next attempt, as the service requests. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(problem.detail, cause === undefined ? undefined : { cause });
    this.problem = problem;
    this.details = detailsOf(problem) as MemErrorDetails<C>;
    this.retryAfter = retryAfter;
  }

  get code(): C {
    return this.problem.code as C;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** Whether this is an error of the service and, if codes are given, has one of them. */
export function isMemError<C extends FaultCode = FaultCode>(error: unknown, ...codes: C[]): error is MemError<C> {
  return error instanceof MemError && (codes.length === 0 || (codes as FaultCode[]).includes(error.code));
}

/** A problem that the client itself detects. */
export function problemOf(code: FaultCode, detail: string, extra: Partial<Problem> = {}): Problem {
  const { title, status } = faultCodes[code];
  return { type: `urn:mem:error:${code}`, title, status, detail, code, ...extra };
}

export function invalidField(path: string, message: string): MemError {
  return new MemError(problemOf('invalid_input', `${path}: ${message}`, { errors: [{ path, message }] }));
}

export function unreachableError(url: string, cause: unknown): MemError {
  const detail = `cannot reach ${url}: ${reasonOf(cause)}`;
  return new MemError(problemOf('unavailable', detail, { status: 0 }), { cause });
}

/** The message of a `fetch` error is only "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}

/** Codes for answers that are not problems of the service, for example those of a proxy. */
const CODES: Record<number, FaultCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'route_not_found',
  413: 'body_too_large',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

export function errorFromResponse(response: Response, text: string): MemError {
  const problem = readProblem(text) ?? {
    ...problemOf(CODES[response.status] ?? 'internal', `the server answered ${response.status} ${response.statusText}`),
    status: response.status,
  };
  return new MemError(problem, { retryAfter: readRetryAfter(response.headers.get('retry-after')) });
}

/** An error that arrived in place of an event. */
export function errorFromText(text: string): MemError {
  return new MemError(readProblem(text) ?? problemOf('internal', 'the server ended the stream without a reason'));
}

function readProblem(text: string): Problem | undefined {
  try {
    const problem: Problem | null = JSON.parse(text);
    const known = typeof problem?.code === 'string' && typeof problem.status === 'number';
    return known && typeof problem.detail === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** The header holds seconds or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

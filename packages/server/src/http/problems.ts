import { STATUS_CODES } from 'node:http';
import { Fault, type FaultCode, invalidInput } from '@mem-service/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { fromStorage } from '../kernel/index.ts';
import { bodyAfterRequest } from './unread.ts';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  const body = Buffer.from(JSON.stringify(fault.toProblem()));
  return refuseWith(reply, fault).header('content-type', PROBLEM_TYPE).send(bodyAfterRequest(reply, body));
}

/** Sets everything of a refusal except its body. */
export function refuseWith(reply: FastifyReply, fault: Fault): FastifyReply {
  const { retry_after, allow } = fault.detail;
  if (Array.isArray(allow)) reply.header('allow', allow.join(', '));
  if (typeof retry_after === 'number') reply.header('retry-after', String(retry_after));
  if (fault.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  return reply.code(fault.status);
}

const FRAMEWORK_FAULTS: Record<string, () => Fault> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Fault('body_too_large', 'the body is larger than this service accepts'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Fault('unsupported_media_type', 'send JSON with Content-Type: application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Fault('invalid_request', 'the body does not have the length that Content-Length says'),
  FST_ERR_BAD_URL: () => invalidInput([{ path: 'url', message: 'is not valid percent-encoded UTF-8' }]),
  FST_ERR_MAX_PARAM_LENGTH: () => new Fault('uri_too_long', 'a part of the address is too long'),
};

/**
 * Turns every error that a caller can cause into a Fault. All others are logged in full and answered with a bare 500.
 */
export function toFault(thrown: unknown): Fault | undefined {
  // The key of a request is looked up before the kernel is asked for anything.
  const error = fromStorage(thrown);
  if (error instanceof Fault) return error;
  const { code = '', statusCode } = error as Partial<FastifyError>;
  const known = FRAMEWORK_FAULTS[code];
  if (known) return known();
  return statusCode === 400 ? new Fault('invalid_request', 'the request cannot be read') : undefined;
}

/** Turns an error into the Fault that the caller receives. */
export type ExplainError = (error: unknown, request: FastifyRequest) => Fault;

/** Calls `write` for what is to be logged; of failures that come again and again, once. */
export type ReportError = (error: unknown, write: () => void) => void;

export function explainErrors(log: Logger, report: ReportError = (_, write) => write()): ExplainError {
  return (error, request) => {
    const fault = toFault(error);
    request.refusal = fault?.code ?? 'internal';
    if (fault) {
      const { why } = (fault.cause ?? {}) as { why?: string };
      // A request to a connector that is not set up is no failure, and anybody may send any number.
      if (fault.status >= 500 && fault.code !== 'connector_not_configured')
        report(fault, () => log.warn({ request_id: request.id, code: fault.code, why }, fault.message));
      return fault;
    }
    log.error({ request_id: request.id, method: request.method, err: error }, 'request failed');
    return new Fault('internal', 'the service failed; the log has the details', { request_id: request.id });
  };
}

const RAW_FAULTS: Record<string, [FaultCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the headers are larger than this service accepts'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'the chunks of the body carry too much beside it'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

/** The answer to broken HTTP, and to headers that are too large or too slow. */
export function rawProblem(error: Error & { code?: string }): string {
  const [code, detail] = RAW_FAULTS[error.code ?? ''] ?? ['invalid_request', 'the request is not valid HTTP'];
  const fault = new Fault(code, detail);
  const body = JSON.stringify(fault.toProblem());
  return [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

import { Fault, faultCodes } from '@mem-service/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  const problem = fault.toProblem();
  const { retry_after } = fault.detail;
  if (typeof retry_after === 'number') reply.header('retry-after', String(retry_after));
  if (fault.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  return reply.code(fault.status).header('content-type', PROBLEM_TYPE).send(JSON.stringify(problem));
}

const FRAMEWORK_FAULTS: Record<string, [keyof typeof faultCodes, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this service accepts'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'send JSON with Content-Type: application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_json', 'the body does not have the length that Content-Length says'],
  FST_ERR_BAD_URL: ['invalid_input', 'the address is not valid percent-encoded UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'a part of the address is too long'],
  FST_ERR_NOT_FOUND: ['route_not_found', 'there is no such route'],
};

/** Everything a caller can cause becomes a Fault; the rest is logged whole and leaves as a bare 500. */
export function toFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  const { code = '', statusCode } = error as Partial<FastifyError>;
  const known = FRAMEWORK_FAULTS[code];
  if (known) return new Fault(known[0], known[1]);
  if (statusCode === 400) return new Fault('invalid_json', 'the request cannot be read');
  return undefined;
}

export function handleError(log: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = toFault(error);
    if (fault) {
      if (fault.status >= 500) log.warn({ request_id: request.id, code: fault.code }, fault.message);
      return sendFault(reply, fault);
    }
    log.error({ request_id: request.id, method: request.method, err: error }, 'request failed');
    return sendFault(
      reply,
      new Fault('internal', 'the service failed; the log has the details', { request_id: request.id }),
    );
  };
}

/** What never became a request: broken HTTP, headers that are too large or too slow. */
export function rawProblem(error: Error & { code?: string }): string {
  const codes: Record<string, keyof typeof faultCodes> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  const fault = new Fault(codes[error.code ?? ''] ?? 'invalid_json', 'the request is not valid HTTP');
  const body = JSON.stringify(fault.toProblem());
  return [
    `HTTP/1.1 ${fault.status} ${faultCodes[fault.code].title}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

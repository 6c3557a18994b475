import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

export type RequestLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** Logs a line for a request when it is over. */
export const requestLog =
  (log: Logger): RequestLog =>
  (request, reply) => {
    const begun = performance.now();
    reply.raw.once('close', () => log.info(aboutRequest(request, reply, begun), 'request'));
  };

/** The route as it is declared and our own names: addresses, queries, headers and bodies come from callers and are left out. */
function aboutRequest(request: FastifyRequest, reply: FastifyReply, begun: number) {
  const { id, method, operation, refusal, routeOptions, identity } = request;
  return {
    request_id: id,
    method,
    route: routeOptions.url ?? null,
    ...(operation === '' ? {} : { operation }),
    status: reply.raw.headersSent ? reply.raw.statusCode : null,
    ...(refusal === '' ? {} : { code: refusal }),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
    ms: Math.round((performance.now() - begun) * 10) / 10,
    account: refusal === 'unauthenticated' || !identity ? null : identity.account_id,
  };
}

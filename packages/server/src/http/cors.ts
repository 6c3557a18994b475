import type { onRequestHookHandler } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const EXPOSED = [
  'Allow, ETag, Location, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  'X-MEM-Ops-Limit, X-MEM-Ops-Remaining, X-MEM-Seq, X-MEM-Usage-Warning',
].join(', ');
const PREFLIGHT_SECONDS = '600';

/**
 * Admits pages of these origins. Keys are sent in headers, never in cookies, so credentials are not allowed. A request
 * without an origin, as nearly all requests of agents, is not from a page and gets none of these headers.
 */
export function allowOrigins(origins: readonly string[]): onRequestHookHandler {
  const any = origins.includes('*');
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (!any) reply.header('vary', 'Origin');
    if (origin !== undefined && (any || origins.includes(origin))) {
      reply.header('access-control-allow-origin', any ? '*' : origin);
      reply.header('access-control-expose-headers', EXPOSED);
    }
    if (request.method !== 'OPTIONS') return done();
    const asked = request.headers['access-control-request-headers'];
    reply.header('access-control-allow-methods', METHODS).header('access-control-max-age', PREFLIGHT_SECONDS);
    if (asked !== undefined)
      reply.header('access-control-allow-headers', asked).header('vary', 'Origin, Access-Control-Request-Headers');
    reply.code(204).send();
  };
}

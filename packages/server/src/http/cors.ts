import type { onRequestHookHandler } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const EXPOSED = [
  'Allow, ETag, Location, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  'X-MEM-Ops-Limit, X-MEM-Ops-Remaining, X-MEM-Usage-Warning',
].join(', ');
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of these origins in. Keys travel in headers, never in cookies, so no credentials are allowed. A request
 * without an origin is not from a page and gets none of these headers: nearly all of the traffic of an agent.
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

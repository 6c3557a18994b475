import { type OperationName, operationNames, operations } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSpan, SpanEnd, Telemetry } from '../telemetry/index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The requested operation, once it is known. */
    operation: OperationName | '';
    /** The code of the refusal. */
    refusal: string;
    /** The span of the request, when spans are exported. */
    span: OpenSpan | undefined;
  }
}

/** Declares the members of a request up front, so that all request objects have the same shape. */
export function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('operation', '');
  server.decorateRequest('refusal', '');
  server.decorateRequest('span', undefined);
}

const otlpPaths: ReadonlySet<string | undefined> = new Set(
  operationNames.map((name) => operations[name].http).flatMap(({ otlp, path }) => (otlp ? [path] : [])),
);

/** Creates a span for every request, except for requests that deliver spans: these might be the service's own. */
export function traceRequests(server: FastifyInstance, telemetry: Telemetry): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!otlpPaths.has(request.routeOptions.url)) {
      const span = telemetry.begin(request.headers.traceparent);
      request.span = span;
      reply.raw.once('close', () => telemetry.end(span, spanEndOf(request, reply)));
    }
    done();
  });
}

/** Paths, headers and bodies come from callers and are left out; route and codes do not. */
function spanEndOf({ method, operation, refusal, routeOptions }: FastifyRequest, { raw }: FastifyReply): SpanEnd {
  const isAnswered = raw.headersSent;
  const error = refusal || (raw.writableFinished ? '' : 'aborted');
  return {
    name: `mem ${operation || [method, routeOptions.url].filter(Boolean).join(' ')}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      ...(routeOptions.url === undefined ? {} : { 'http.route': routeOptions.url }),
      ...(isAnswered ? { 'http.response.status_code': raw.statusCode } : {}),
      ...(operation === '' ? {} : aboutOperation(operation)),
      ...(error === '' ? {} : { 'error.type': error }),
    },
    // A caller's mistake is not an error of the service.
    error: raw.statusCode >= 500 ? error || String(raw.statusCode) : undefined,
  };
}

const aboutOperation = (name: OperationName) => ({ 'mem.operation': name, 'mem.effect': operations[name].effect });

export type TraceCall = <T>(request: FastifyRequest, name: OperationName, run: () => Promise<T>) => Promise<T>;

/** Creates a span for an operation within a request that runs several. */
export function callTracer(telemetry: Telemetry | undefined): TraceCall {
  return async (request, name, run) => {
    if (!telemetry || !request.span) return run();
    const span = telemetry.beginWithin(request.span);
    const ending = { name: `mem ${name}`, kind: 'internal' } as const;
    try {
      const output = await run();
      telemetry.end(span, { ...ending, attributes: aboutOperation(name) });
      return output;
    } catch (failure) {
      const { code = 'internal', status = 500 } = failure as { code?: string; status?: number };
      const attributes = { ...aboutOperation(name), 'error.type': code };
      telemetry.end(span, { ...ending, attributes, error: status >= 500 ? code : undefined });
      throw failure;
    }
  };
}

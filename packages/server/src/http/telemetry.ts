import { type OperationName, operationNames, operations } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSpan, SpanEnd, Telemetry } from '../telemetry/index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation it asks for, once that is known. */
    operation: OperationName | '';
    /** The code of its refusal. */
    refusal: string;
    /** Where spans are exported: its own. */
    span: OpenSpan | undefined;
  }
}

/** Members that a request has from the beginning, so that all requests are alike. */
export function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('operation', '');
  server.decorateRequest('refusal', '');
  server.decorateRequest('span', undefined);
}

const otlpPaths: ReadonlySet<string | undefined> = new Set(
  operationNames.map((name) => operations[name].http).flatMap(({ otlp, path }) => (otlp ? [path] : [])),
);

/** A span for every request; but none for spans that come in, which might be these very ones. */
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

/** Paths, headers and bodies are what callers say, and stay out; the route and the codes are ours. */
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
    // What a caller did wrong is no error of the service.
    error: raw.statusCode >= 500 ? error || String(raw.statusCode) : undefined,
  };
}

const aboutOperation = (name: OperationName) => ({ 'mem.operation': name, 'mem.effect': operations[name].effect });

export type TraceCall = <T>(request: FastifyRequest, name: OperationName, run: () => Promise<T>) => Promise<T>;

/** An operation within a request that asks for several. */
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

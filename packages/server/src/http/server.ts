import { randomBytes } from 'node:crypto';
import { Fault } from '@mem-service/contract';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Kernel } from '../kernel/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { authenticateByList, keyCheck, presentedKey } from './auth.ts';
import { allowOrigins } from './cors.ts';
import { addMcp } from './mcp.ts';
import { addOperations } from './operations.ts';
import { addOtlp } from './otlp.ts';
import { addPages } from './pages.ts';
import { explainErrors, rawProblem, sendFault } from './problems.ts';
import { refuseUnknown } from './refusals.ts';
import { type StreamOptions, Streams } from './streams.ts';
import { callTracer, decorateRequests, traceRequests } from './telemetry.ts';

/** How long a client may take: to send its headers, to send the whole request, to say something new on the connection. */
export type Timeouts = { headersMs: number; requestMs: number; keepAliveMs: number; checkEveryMs: number };

export type HttpOptions = {
  kernel: Kernel;
  log: Logger;
  apiKeys: readonly string[];
  corsOrigins: readonly string[];
  agentId: string;
  maxBodyBytes: number;
  timeouts?: Timeouts;
  streams?: StreamOptions;
  /** Undefined: no spans are made. */
  telemetry?: Telemetry | undefined;
};

const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 72_000, checkEveryMs: 5_000 };
const MAX_HEADER_BYTES = 32_768;
/** Time for the last answer on a broken connection to arrive. */
const LAST_WORD_MS = 500;

/** The HTTP transport: bytes to input, result to bytes, nothing else. */
export async function createServer(options: HttpOptions): Promise<FastifyInstance> {
  const authenticate = authenticateByList(options.apiKeys);
  const requireKey = keyCheck(authenticate);
  const explain = explainErrors(options.log);
  const server = fastify({
    ...limits(options),
    genReqId: requestIds(),
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => {
      if (!socket.writable) return;
      socket.end(rawProblem(error));
      // A client that does not hang up, or goes on sending, would keep the connection for ever.
      setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      const first = firstOf(() => authenticate(presentedKey(request.headers)), error);
      sendFault(reply, explain(first, request));
    },
  });
  takeJsonAlone(server);
  server.decorateRequest('actor', 'anonymous');
  decorateRequests(server);
  if (options.telemetry) traceRequests(server, options.telemetry);
  server.setErrorHandler((error, request, reply) => sendFault(reply, explain(error, request)));
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  server.addHook('onRequest', allowOrigins(options.corsOrigins));
  const streams = new Streams(options.streams);
  server.addHook('preClose', async () => streams.close());
  addOperations(server, options.kernel, { requireKey, agentId: options.agentId, streams });
  addOtlp(server, options.kernel, { ...options, requireKey, explain });
  const metadata = addMcp(server, options.kernel, {
    ...options,
    requireKey,
    hasKeys: options.apiKeys.length > 0,
    traceCall: callTracer(options.telemetry),
    onError: (err) => options.log.warn({ err }, 'mcp'),
  });
  const pages = addPages(server, options.kernel, requireKey);
  refuseUnknown(server, { authenticate, pages: new Set([...pages, ...metadata]) });
  return server;
}

/** As bytes: what is in them is read where the operation is known. */
export function takeJsonAlone(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const json = /^application\/([\w.-]+\+)?json\s*(;|$)/i;
  server.addContentTypeParser(json, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    const { 'content-encoding': encoding = 'identity' } = headers;
    if (encoding === 'identity') done(null, body);
    else done(new Fault('unsupported_media_type', `send the body as it is, not in ${encoding}`));
  });
}

function limits({ maxBodyBytes, timeouts = TIMEOUTS }: HttpOptions) {
  return {
    bodyLimit: maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // A request that got in before the end is answered as any other.
    return503OnClosing: false,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  };
}

/** Unique without asking the system for each one. */
function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** What a check throws, or else the error that was there already. */
function firstOf(check: () => void, error: unknown): unknown {
  try {
    check();
    return error;
  } catch (refusal) {
    return refusal;
  }
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '@mem-service/contract';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ConnectorHost } from '../connectors/types.ts';
import { ANSWER_LIMITS, type AnswerLimits, type Kernel, pageBytes } from '../kernel/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { type AnswerRoom, AnswersInFlight } from './answers-in-flight.ts';
import { ANYBODY, type Authenticate, authenticateByList, keyCheck, presentedBy } from './auth.ts';
import { authenticateByBoth, authenticateByRing, internalKeyCheck, metricsKeyCheck } from './auth-hosted.ts';
import { watchConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { addEvents } from './events.ts';
import { addHandedOver } from './handed-over.ts';
import { admitLocalOnly } from './local-only.ts';
import { addMcp } from './mcp.ts';
import { meteringOf } from './metering.ts';
import type { GatherMetrics } from './metrics.ts';
import { addOperations } from './operations.ts';
import { addOtlp } from './otlp.ts';
import { addPages } from './pages.ts';
import { explainErrors, type ReportError, rawProblem, sendFault } from './problems.ts';
import { refuseUnknown } from './refusals.ts';
import { type RequestLog, requestLog } from './request-log.ts';
import { OpenStreams, type StreamServerOptions } from './streams.ts';
import { callTracer, decorateRequests, traceRequests } from './telemetry.ts';
import { UNREAD_LIMITS, type UnreadLimits } from './unread.ts';
import { addWebhooks } from './webhooks.ts';

/**
 * Limits for a client: to send its headers, to send the whole request, to send the next request on the connection, to take
 * something of an answer that waits for it.
 */
export type Timeouts = {
  headersMs: number;
  requestMs: number;
  keepAliveMs: number;
  checkEveryMs: number;
  stallMs: number;
};

export type HttpOptions = {
  kernel: Kernel;
  connectors?: ConnectorHost | undefined;
  log: Logger;
  /** Decides what of the failures that requests meet is logged. */
  reportError?: ReportError;
  apiKeys: readonly string[];
  /** Every request needs the key of an account. */
  hosted?: boolean;
  /** The key of the control plane. */
  internalKey?: string | undefined;
  /** Proxies whose forwarding headers are trusted. */
  trustedProxies?: readonly string[];
  corsOrigins: readonly string[];
  /** Only for programs of this machine and pages of `corsOrigins`. */
  localOnly?: boolean;
  /** The folder of the built dashboard; undefined where it is not shown. */
  dashboard?: string | undefined;
  /** A line in the log for every request. */
  logRequests?: boolean;
  agentId: string;
  maxBodyBytes: number;
  timeouts?: Partial<Timeouts>;
  unreadLimits?: UnreadLimits;
  answerLimits?: AnswerLimits;
  streams?: StreamServerOptions;
  /** Undefined: no spans are created. */
  telemetry?: Telemetry | undefined;
  /** Set where several processes serve the address. */
  gatherMetrics?: GatherMetrics;
};

const NO_CONNECTORS: ConnectorHost = { connectors: new Map(), close: async () => {} };
const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  checkEveryMs: 5_000,
  stallMs: 30_000,
};
const MAX_HEADER_BYTES = 32_768;
/** What an entry has beside its value. */
const BESIDE_VALUE_BYTES = 64 * 1024;
/** A browser must not take an answer for a page or script that it does not say it is. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;
/** Time for the last answer on a broken connection to arrive. */
const LAST_WORD_MS = 500;

/** The HTTP transport: turns bytes into input and results into bytes, nothing else. */
export async function createServer(options: HttpOptions): Promise<FastifyInstance> {
  const { hosted = false, kernel } = options;
  const byRing = authenticateByRing(kernel.services.keys);
  const authenticate = hosted ? byRing : authenticateByBoth(authenticateByList(options.apiKeys), byRing);
  const metering = meteringOf(kernel.services);
  const requireKey = keyCheck(authenticate, metering.countRequest);
  const explain = explainErrors(options.log, options.reportError);
  const logRequest = options.logRequests ? requestLog(options.log) : undefined;
  const server = fastify({
    ...limits(options),
    genReqId: requestIds(),
    exposeHeadRoutes: true,
    clientErrorHandler: refuseBroken,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header(...NO_SNIFFING);
      logRequest?.(request, reply);
      void keyErrorOr(authenticate, request, error).then((first) => sendFault(reply, explain(first, request)));
    },
  });
  watchConnections(server, { kernel, stallMs: options.timeouts?.stallMs ?? TIMEOUTS.stallMs });
  refuseExpectations(server);
  acceptJsonOnly(server);
  decorate(server, options);
  if (options.telemetry) traceRequests(server, options.telemetry);
  server.setErrorHandler((error, request, reply) => sendFault(reply, explain(error, request)));
  beginRequests(server, options, logRequest);
  if (kernel.services.meter) metering.writeAllHeaders(server);
  const streams = new OpenStreams(options.streams);
  const room = answerRoom(options);
  server.addHook('preClose', async () => streams.close());
  const requireInternal = internalKeyCheck(options.internalKey);
  addOperations(server, kernel, { requireKey, requireInternal, agentId: options.agentId, streams, metering, room });
  addEvents(server, kernel, { requireKey, agentId: options.agentId, room });
  const { connectors = NO_CONNECTORS } = options;
  addWebhooks(server, kernel, { connectors, authenticate, authenticateAddress: byRing, metering, hosted });
  addOtlp(server, kernel, { ...options, requireKey, explain });
  const hasKeys = hosted || options.apiKeys.length > 0;
  const metadata = addMcp(server, kernel, {
    ...options,
    requireKey,
    hasKeys,
    room,
    countCall: metering.countCall,
    traceCall: callTracer(options.telemetry),
    onError: (err) => options.log.warn({ err }, 'mcp'),
  });
  const requireMetricsKey = metricsKeyCheck({ internalKey: options.internalKey, hosted, requireKey });
  const hasControl = options.internalKey !== undefined;
  const pages = addPages(server, kernel, { ...options, requireKey, requireMetricsKey, hasKeys, hasControl });
  addHandedOver(server, kernel, requireInternal);
  refuseUnknown(server, { authenticate, metering, pages: new Set([...pages, ...metadata]) });
  return server;
}

/** The last answer on a connection that sent broken HTTP. */
function refuseBroken(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) return;
  socket.end(rawProblem(error));
  // A client that does not close the connection, or keeps sending, would hold it forever.
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

/** Node would answer without our headers. */
function refuseExpectations(server: FastifyInstance): void {
  server.server.on('checkExpectation', (_request, response) =>
    response.writeHead(417, Object.fromEntries([NO_SNIFFING])).end(),
  );
}

function decorate(server: FastifyInstance, { unreadLimits = UNREAD_LIMITS }: HttpOptions): void {
  server.decorateRequest('identity', null as never);
  server.decorate('unreadLimits', unreadLimits);
  decorateRequests(server);
}

function answerRoom({ kernel, answerLimits = ANSWER_LIMITS, timeouts }: HttpOptions): AnswerRoom {
  const { services } = kernel;
  const document = services.limits.max_value_bytes + BESIDE_VALUE_BYTES;
  const sizes = { page: Math.max(pageBytes(services), document), document };
  return { inFlight: new AnswersInFlight(answerLimits), sizes, stallMs: timeouts?.stallMs ?? TIMEOUTS.stallMs };
}

/** HTTP/1.1 requires it. Node would refuse without our headers. */
const hasHost = ({ headers, httpVersion }: IncomingMessage) => headers.host !== undefined || httpVersion !== '1.1';

/** What happens to every request before its route is asked. */
function beginRequests(server: FastifyInstance, options: HttpOptions, logRequest: RequestLog | undefined): void {
  server.addHook('onRequest', (request, reply, done) => {
    request.identity = ANYBODY;
    reply.header('x-request-id', request.id).header(...NO_SNIFFING);
    logRequest?.(request, reply);
    done(hasHost(request.raw) ? undefined : new Fault('invalid_request', 'the request has no Host header'));
  });
  if (options.localOnly) server.addHook('onRequest', admitLocalOnly(options.corsOrigins));
  server.addHook('onRequest', allowOrigins(options.corsOrigins));
}

/** Passes bodies on as bytes: they are parsed once the operation is known. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const json = /^application\/([\w.-]+\+)?json\s*(;|$)/i;
  server.addContentTypeParser(json, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    const { 'content-encoding': encoding = 'identity' } = headers;
    if (encoding === 'identity') done(null, body);
    else done(new Fault('unsupported_media_type', `send the body as it is, not in ${encoding}`));
  });
}

function limits({ maxBodyBytes, trustedProxies = [], ...options }: HttpOptions) {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  return {
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // A request that arrived before the stop is answered normally.
    return503OnClosing: false,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  };
}

/** Unique ids without a system call for each. */
function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** The error of the key check, or else the given error. */
async function keyErrorOr(authenticate: Authenticate, request: FastifyRequest, error: unknown): Promise<unknown> {
  try {
    await authenticate(presentedBy(request));
    return error;
  } catch (refusal) {
    return refusal;
  }
}

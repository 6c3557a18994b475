import { randomBytes } from 'node:crypto';
import cors from '@fastify/cors';
import { Fault, invalidInput, type OperationName, operations } from '@mem-service/contract';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Kernel } from '../kernel/index.ts';
import { answer } from './answer.ts';
import { authenticateByList } from './auth.ts';
import { readBody } from './body.ts';
import { type CallerOptions, callerOf, presentedKey } from './caller.ts';
import { hasField, queryReader } from './coerce.ts';
import { addDocs } from './docs.ts';
import { renderMetrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { handleError, rawProblem } from './problems.ts';
import { matchTail, methodsAt, type Pattern, patterns, routerPath } from './routes.ts';

export type HttpOptions = {
  kernel: Kernel;
  log: Logger;
  apiKeys: readonly string[];
  corsOrigins: readonly string[];
  agentId: string;
  maxBodyBytes: number;
};

/** The HTTP transport: bytes to input, result to bytes, nothing else. */
export async function createServer(options: HttpOptions): Promise<FastifyInstance> {
  const server = fastify({
    bodyLimit: options.maxBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 32_768 },
    routerOptions: { maxParamLength: 8192 },
    exposeHeadRoutes: true,
    genReqId: requestIds(),
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(rawProblem(error));
    },
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/([\w.-]+\+)?json/, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.setErrorHandler(handleError(options.log));
  await server.register(cors, {
    origin: options.corsOrigins.includes('*') ? '*' : [...options.corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['ETag', 'Location', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
  addOperations(server, options);
  return server;
}

/** Unique without asking the system for each one. */
function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

function addOperations(server: FastifyInstance, { kernel, log, apiKeys, agentId }: HttpOptions): void {
  const who: CallerOptions = { authenticate: authenticateByList(apiKeys), defaultAgentId: agentId };
  const open: CallerOptions = { ...who, authenticate: () => 'anonymous' };
  const runners = new Map(
    patterns.map(({ name }) => [name, operationRunner(kernel, name, operations[name].open ? open : who)]),
  );
  const run = (name: OperationName, params: object, reply: FastifyReply) =>
    (runners.get(name) as Runner)(params, reply);

  for (const group of groupByRoute()) {
    const [first] = group as [Pattern, ...Pattern[]];
    server.route({
      method: first.method,
      url: routerPath(first),
      handler: (request, reply) => {
        reply.header('x-request-id', request.id);
        if (first.greedy < 0) return run(first.name, request.params as object, reply);
        const match = matchTail(group, pathOf(request));
        if (match) return run(match.name, match.params, reply);
        who.authenticate(presentedKey(request.headers));
        throw new Fault('route_not_found', 'an entry is addressed by a path and a key');
      },
    });
  }
  addServicePages(server, { kernel, who });
  server.setNotFoundHandler((request) => {
    who.authenticate(presentedKey(request.headers));
    const methods = methodsAt(pathOf(request));
    if (methods.length === 0)
      throw new Fault('route_not_found', `there is no route ${request.method} ${pathOf(request)}`);
    throw new Fault('method_not_allowed', `this route takes ${methods.join(', ')}`, { allow: methods });
  });
  log.debug({ routes: patterns.length }, 'routes ready');
}

const pathOf = ({ raw }: FastifyRequest) => (raw.url ?? '/').split('?', 1)[0] as string;

function groupByRoute(): Iterable<Pattern[]> {
  const groups = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    const id = `${pattern.method} ${routerPath(pattern)}`;
    groups.set(id, [...(groups.get(id) ?? []), pattern]);
  }
  return groups.values();
}

type Runner = (params: object, reply: FastifyReply) => Promise<FastifyReply>;

function operationRunner(kernel: Kernel, name: OperationName, who: CallerOptions): Runner {
  const operation = operations[name];
  const readQuery = queryReader(name);
  const versioned = hasField(name, 'if_version');
  return async (params, reply) => {
    const { request } = reply;
    const caller = callerOf(request, who);
    const input = Buffer.isBuffer(request.body) ? readBody(request.body, name) : {};
    const mark = request.raw.url?.indexOf('?') ?? -1;
    if (mark >= 0) readQuery(new URLSearchParams(request.raw.url?.slice(mark + 1)), input);
    Object.assign(input, params);
    const ifMatch = request.headers['if-match'];
    if (versioned && ifMatch !== undefined && input.if_version === undefined) input.if_version = versionOf(ifMatch);
    return answer(reply, operation, await kernel.invoke(name, input, caller));
  };
}

/** An ETag of ours starts with the version: `"3.0"`, `"3"`. */
function versionOf(ifMatch: string): number {
  const version = /^"?(\d{1,15})(\.\d+)?"?$/.exec(ifMatch.trim())?.[1];
  if (version === undefined)
    throw invalidInput([{ path: 'header if-match', message: 'must be one ETag of this service' }]);
  return Number(version);
}

function addServicePages(server: FastifyInstance, { kernel, who }: { kernel: Kernel; who: CallerOptions }): void {
  let document: string | undefined;
  const openApi = () => {
    document ??= JSON.stringify(openApiDocument(kernel.services.version));
    return document;
  };
  server.get('/openapi.json', (request, reply) => {
    who.authenticate(presentedKey(request.headers));
    return reply.header('content-type', 'application/json; charset=utf-8').send(openApi());
  });
  server.get('/metrics', (request, reply) => {
    who.authenticate(presentedKey(request.headers));
    return reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(renderMetrics(kernel));
  });
  addDocs(server, openApi);
}

import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Fault, type LinesName, type OperationName, stringify } from '@mem-service/contract';
import type { LogReader, McpRequest } from '@mem-service/mcp';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, type Kernel, soleAgentOf } from '../kernel/index.ts';
import { type AnswerRoom, largestAnswer, leaveRoom } from './answers-in-flight.ts';
import type { KeyCheck } from './auth.ts';
import { BODY_LIMITS, isLargeBody, parseInTurns } from './body.ts';
import { callerOf } from './caller.ts';
import { OpenLines } from './lines.ts';
import type { RequestMetering } from './metering.ts';
import { refuseWith } from './problems.ts';
import type { TraceCall } from './telemetry.ts';

export type McpOptions = {
  requireKey: KeyCheck;
  hasKeys: boolean;
  corsOrigins: readonly string[];
  agentId: string;
  maxBodyBytes: number;
  onError: (error: unknown) => void;
  /** Replaces the tools of the service, in tests. */
  answer?: (incoming: McpRequest) => Promise<Response>;
  traceCall: TraceCall;
  room: AnswerRoom;
  countCall?: RequestMetering['countCall'];
};

export const MCP_PATH = '/mcp';
/** A message is read twice, and is written by a model: half of what other bodies may hold is plenty. */
const maxBytesOf = ({ maxBodyBytes }: McpOptions): number => Math.floor(maxBodyBytes / 2);
const MCP_LIMITS = { ...BODY_LIMITS, members: BODY_LIMITS.members / 2, values: BODY_LIMITS.values / 2 };

const METADATA = '/.well-known/oauth-protected-resource';

/** The Model Context Protocol over HTTP, with the same keys and the same kernel. Stateless between requests. */
export function addMcp(server: FastifyInstance, kernel: Kernel, options: McpOptions): readonly string[] {
  const listening = new Set<LogReader>();
  const openLines = new OpenLines(options.room);
  server.addHook('preClose', async () => {
    for (const reader of listening) reader.end();
  });
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    exposeHeadRoute: false,
    bodyLimit: maxBytesOf(options),
    onRequest: [checkOrigin(options), options.requireKey],
    onSend: pointToMetadata,
    handler: (request, reply) => answer(kernel, { ...options, listening, openLines }, { request, reply }),
  });
  const metadata = [METADATA, METADATA + MCP_PATH];
  for (const url of metadata) server.get(url, (request) => metadataOf(request));
  return metadata;
}

/** The operator issues the keys; there is no authorization server to refer a client to. */
function metadataOf({ protocol, host }: FastifyRequest) {
  return {
    resource: `${protocol}://${host}${MCP_PATH}`,
    resource_name: 'mem',
    bearer_methods_supported: ['header'],
    resource_documentation: `${protocol}://${host}/docs`,
  };
}

/** Adds to a 401 the address of the metadata, as the protocol requires. */
async function pointToMetadata(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const metadata = `${request.protocol}://${request.host}${METADATA}${MCP_PATH}`;
  if (reply.statusCode === 401) reply.header('www-authenticate', `Bearer resource_metadata="${metadata}"`);
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A web page must not use a service on the reader's own machine. Where keys are required, the page has none; otherwise
 * only pages of this machine and the configured origins are admitted.
 */
function checkOrigin({ corsOrigins, hasKeys }: McpOptions) {
  const isAllowed = (origin: string) =>
    corsOrigins.includes(origin) ||
    (hasKeys && corsOrigins.includes('*')) ||
    (URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname));
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { origin } = request.headers;
    if (origin === undefined || isAllowed(origin)) return done();
    const message = `Forbidden: pages of ${origin} are not admitted (MEM_CORS_ORIGINS)`;
    reply.code(403).send({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
  };
}

const oneOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** Requests that wait for events are ended when the service stops; answers in lines are few at a time. */
type OpenAnswers = { listening: Set<LogReader>; openLines: OpenLines };
type Exchange = { request: FastifyRequest; reply: FastifyReply };

async function answer(
  kernel: Kernel,
  options: McpOptions & OpenAnswers,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  const { answerMcp, followKernel } = await import('@mem-service/mcp');
  const caller = callerOf(request, options.agentId);
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'content-length' ? [[name, value]] : [],
  );
  const sent = Buffer.isBuffer(request.body) ? request.body : undefined;
  const read = sent && isLargeBody(sent) ? await parseInTurns(sent, MCP_LIMITS) : undefined;
  let away: Fault | undefined;
  const response = await (options.answer ?? answerMcp)({
    method: request.method,
    url: `${request.protocol}://${request.host}${request.url}`,
    headers: Object.fromEntries(headers),
    body: sent,
    read,
    keyHolder: options.hasKeys ? caller.holder || caller.actor : undefined,
    agentId: request.headers['x-mem-agent-id'] === undefined ? soleAgentOf(caller.key) : caller.agent_id,
    sessionId: caller.session_id ?? undefined,
    defaultAgentId: options.agentId,
    branch: oneOf(request.headers['x-mem-branch']),
    call: async (name, input, as) => {
      try {
        const calling = { ...caller, ...as };
        await kernel.waitForSeq(name, calling);
        const run = () => kernel.invoke(name, input, calling);
        return await answerInRoom(options.room, { reply, account: caller.account_id, name }, async () =>
          stringify(await options.traceCall(request, name, run)),
        );
      } catch (error) {
        if (error instanceof Fault && error.code === 'unavailable') away = error;
        throw error;
      }
    },
    lines: (name, input, as) => linesOf(kernel, options.openLines, { name, input, caller: { ...caller, ...as } }),
    countCall: () => options.countCall?.(request.identity),
    async follow(input, as, reader) {
      const leave = await followKernel(kernel, { input, caller: { ...caller, ...as } }, reader);
      options.listening.add(reader);
      return () => {
        options.listening.delete(reader);
        leave();
      };
    },
    serves: (name) => kernel.serves(name),
    maxBodyBytes: maxBytesOf(options),
    onError: options.onError,
  });
  reply.code(response.status).headers(Object.fromEntries(response.headers));
  if (!response.body) return reply.send();
  const body = await begun(Readable.fromWeb(response.body as ReadableStream));
  // Proxies and clients see that it is the service that cannot answer; the body says the same to a model.
  if (away) refuseWith(reply, away);
  return reply.send(body);
}

type AskedLines = { name: LinesName; input: unknown; caller: Caller };

/** The lines of an answer, which take one of the places that there are for such answers. */
async function* linesOf(kernel: Kernel, openLines: OpenLines, { name, input, caller }: AskedLines) {
  await kernel.waitForSeq(name, caller);
  const leave = await openLines.begin(caller.account_id);
  try {
    yield* await kernel.list(name, input, caller);
  } finally {
    leave();
  }
}

type ToolCall = { reply: FastifyReply; account: string; name: OperationName };

/** The answer of one call waits with the others of its request. */
async function answerInRoom(
  room: AnswerRoom,
  { reply, account, name }: ToolCall,
  make: () => Promise<string>,
): Promise<string> {
  const most = largestAnswer(name, room.sizes);
  const wait = room.inFlight.begin(account, most);
  if (wait !== undefined) await wait;
  let bytes = 0;
  try {
    const text = await make();
    bytes = text.length;
    return text;
  } finally {
    leaveRoom(room, { reply, account, most }, bytes);
  }
}

/**
 * Waits until there is something to send. The headers that say how much of the quota is left are written with it, and so
 * count the call itself. A stream of events begins with its confirmation.
 */
async function begun(body: Readable): Promise<Readable> {
  const events = ['readable', 'end', 'error', 'close'];
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of events) body.off(event, go);
      resolve();
    };
    for (const event of events) body.on(event, go);
  });
  return body;
}

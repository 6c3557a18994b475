import type { JsonObject } from '@mem-service/contract';
import { invalidInput, type LinesName, type OperationName, operations, type StreamName } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, type Kernel, parsePosition } from '../kernel/index.ts';
import { pause } from '../turns.ts';
import { answer } from './answer.ts';
import { type AnswerRoom, largestAnswer, leaveRoom } from './answers-in-flight.ts';
import type { KeyCheck } from './auth.ts';
import { readBody } from './body.ts';
import { callerOf } from './caller.ts';
import { hasField, pathReader, queryReader } from './coerce.ts';
import { answerInLines, OpenLines } from './lines.ts';
import type { RequestMetering } from './metering.ts';
import { pathMatcher } from './path-matcher.ts';
import { patterns, type RoutePattern, refusalAt, routerPath } from './routes.ts';
import type { OpenStreams } from './streams.ts';

export type OperationOptions = {
  requireKey: KeyCheck;
  requireInternal: KeyCheck;
  agentId: string;
  streams: OpenStreams;
  metering: RequestMetering;
  room: AnswerRoom;
};

type OperationRunner = (params: Record<string, string>, reply: FastifyReply) => Promise<FastifyReply>;

/** Adds one route for each address of each operation. */
export function addOperations(server: FastifyInstance, kernel: Kernel, options: OperationOptions): void {
  const { requireKey, requireInternal } = options;
  const checkFor = (names: readonly OperationName[]): KeyCheck[] => {
    if (names.every((name) => operations[name].open)) return [];
    return [names.some((name) => operations[name].effect === 'control') ? requireInternal : requireKey];
  };
  const openLines = new OpenLines(options.room);
  const runnerOf = (name: OperationName): OperationRunner => {
    if (operations[name].stream) return streamRunner(kernel, name as StreamName, options);
    if (operations[name].lines) return linesRunner(kernel, name as LinesName, { ...options, openLines });
    return operationRunner(kernel, name, options);
  };
  const runners = new Map(patterns.map(({ name }) => [name, runnerOf(name)]));
  const run = (name: OperationName, params: object, reply: FastifyReply) => {
    reply.request.operation = name;
    return (runners.get(name) as OperationRunner)(params as Record<string, string>, reply);
  };
  for (const group of groupByRoute()) {
    const [first] = group as [RoutePattern, ...RoutePattern[]];
    const match = pathMatcher(group);
    server.route({
      method: first.method,
      url: routerPath(first),
      onRequest: checkFor(group.map(({ name }) => name)),
      handler: (request, reply) => {
        if (first.greedy < 0) return run(first.name, request.params as object, reply);
        const matched = match(pathOf(request));
        if (matched) return run(matched.name, matched.params, reply);
        return refuse(request, options.metering);
      },
    });
  }
}

async function refuse(request: FastifyRequest, metering: RequestMetering): Promise<never> {
  const path = pathOf(request);
  await metering.unmatched(request.identity, path);
  throw refusalAt(request.method, path);
}

export function pathOf({ raw: { url = '/' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function groupByRoute(): Iterable<RoutePattern[]> {
  const groups = new Map<string, RoutePattern[]>();
  for (const pattern of patterns) {
    const { otlp, webhook, cloud_events } = operations[pattern.name].http;
    // These have transports of their own.
    if (otlp || webhook || cloud_events) continue;
    const id = `${pattern.method} ${routerPath(pattern)}`;
    groups.set(id, [...(groups.get(id) ?? []), pattern]);
  }
  return groups.values();
}

function operationRunner(kernel: Kernel, name: OperationName, options: OperationOptions): OperationRunner {
  const readInput = inputReader(name);
  const run = callRunner(kernel, name, options);
  return (params, reply) => run(reply, () => readInput(params, reply.request));
}

type ReadInput = () => JsonObject | Promise<JsonObject>;
export type CallRunner = (reply: FastifyReply, readInput: ReadInput) => Promise<FastifyReply>;

/** Runs an operation for a request, and sends its answer. */
export function callRunner(
  kernel: Kernel,
  name: OperationName,
  { agentId, room }: Pick<OperationOptions, 'agentId' | 'room'>,
): CallRunner {
  const operation = operations[name];
  const most = largestAnswer(name, room.sizes);
  const isPage = most > room.sizes.document;
  return async (reply, readInput) => {
    const caller = callerOf(reply.request, agentId);
    const account = caller.account_id;
    // Who waits for a standby takes no room from others.
    const reaching = kernel.waitForSeq(name, caller);
    if (reaching !== undefined) await reaching;
    const wait = room.inFlight.begin(account, most);
    if (wait !== undefined) await wait;
    let bytes = 0;
    try {
      const read = readInput();
      const input = read instanceof Promise ? await read : read;
      const output = await kernel.invoke(name, input, caller);
      // A page is made into text in a turn of its own where the work before took long.
      if (isPage) await pause();
      writeSeq(reply, caller);
      const made = answer(reply, operation, output);
      bytes = made.bytes;
      return made.answer;
    } catch (error) {
      // What a call was refused for is to be found too.
      writeSeq(reply, caller);
      throw error;
    } finally {
      leaveRoom(room, { reply, account, most }, bytes);
    }
  };
}

function writeSeq(reply: FastifyReply, { seq }: Caller): void {
  if (seq !== undefined) reply.header('x-mem-seq', String(seq));
}

function linesRunner(
  kernel: Kernel,
  name: LinesName,
  { agentId, openLines }: OperationOptions & { openLines: OpenLines },
): OperationRunner {
  const readInput = inputReader(name);
  return async (params, reply) => {
    const caller = callerOf(reply.request, agentId);
    await kernel.waitForSeq(name, caller);
    return answerInLines(openLines, { reply, account: caller.account_id }, async () =>
      kernel.list(name, await readInput(params, reply.request), caller),
    );
  };
}

function streamRunner(
  kernel: Kernel,
  name: StreamName,
  { agentId, streams, metering }: OperationOptions,
): OperationRunner {
  const readInput = inputReader(name);
  return async (params, reply) => {
    const caller = callerOf(reply.request, agentId);
    const input = await readInput(params, reply.request);
    const lastId = reply.request.headers['last-event-id'];
    // A client that reconnects uses the same address and sends its position in this header.
    if (typeof lastId === 'string' && lastId !== '') input.after = checkedId(lastId);
    const subscription = await kernel.open(name, input, caller);
    metering.writeHeaders(reply);
    return streams.send(reply, subscription);
  };
}

type InputReader = (params: Record<string, string>, request: FastifyRequest) => JsonObject | Promise<JsonObject>;

/** Collects the input of a request from path, query, headers and body. */
function inputReader(name: OperationName): InputReader {
  const readQuery = queryReader(name);
  const readPath = pathReader(name);
  const versioned = hasField(name, 'if_version');
  // What needs an existing entry anyway has no such field.
  const creates = hasField(name, 'if_exists');
  const anyVersion = creates ? { if_exists: true } : {};
  const addRest = (input: JsonObject, params: Record<string, string>, request: FastifyRequest): JsonObject => {
    readPath(params, input);
    readQuery(request.raw.url ?? '', input);
    const ifMatch = request.headers['if-match'];
    if (versioned && ifMatch !== undefined && input.if_version === undefined)
      Object.assign(input, ifMatch.trim() === '*' ? anyVersion : { if_version: versionOf(ifMatch) });
    if (creates && request.headers['if-none-match']?.trim() === '*') input.if_version ??= 0;
    return input;
  };
  return (params, request) => {
    const body = Buffer.isBuffer(request.body) ? readBody(request.body, name) : {};
    return body instanceof Promise
      ? body.then((input) => addRest(input, params, request))
      : addRest(body, params, request);
  };
}

function checkedId(lastId: string): string {
  if (parsePosition(lastId)) return lastId;
  throw invalidInput([{ path: 'header last-event-id', message: 'must be the id of an event' }]);
}

/** Our ETags start with the version: `"3.17.0.9f86d081884c"`, `"3"`. */
function versionOf(ifMatch: string): number {
  const version = /^"?(\d{1,15})(\.[\da-f]+)*"?$/.exec(ifMatch.trim())?.[1];
  if (version === undefined)
    throw invalidInput([{ path: 'header if-match', message: 'must be one ETag of this service, or *' }]);
  return Number(version);
}

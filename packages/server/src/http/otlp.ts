import { Fault, JsonText, type OperationName, operationNames, operations } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Kernel } from '../kernel/index.ts';
import {
  decodeMessageInSteps,
  encodeMessage,
  exportRequest,
  exportResponse,
  ProtobufError,
  rpcStatus,
} from '../otlp/index.ts';
import { inTurns } from '../turns.ts';
import { answer } from './answer.ts';
import type { KeyCheck } from './auth.ts';
import { readBody } from './body.ts';
import { callerOf } from './caller.ts';
import { queryReader } from './coerce.ts';
import { type ExplainError, refuseWith, sendFault } from './problems.ts';
import { Unpacking } from './unpacking.ts';
import { bodyAfterRequest } from './unread.ts';

export type OtlpOptions = { requireKey: KeyCheck; agentId: string; maxBodyBytes: number; explain: ExplainError };

const PROTOBUF = 'application/x-protobuf';

/** OTLP over HTTP: operations in both encodings of exporters, compressed or not. */
export function addOtlp(server: FastifyInstance, kernel: Kernel, options: OtlpOptions): void {
  const unpacking = new Unpacking(options.maxBodyBytes);
  for (const name of operationNames)
    if (operations[name].http.otlp) addOne(server, kernel, { name, unpacking, ...options });
}

type OtlpOperation = OtlpOptions & { name: OperationName; unpacking: Unpacking };

function addOne(server: FastifyInstance, kernel: Kernel, { name, ...options }: OtlpOperation): void {
  const { path, method } = operations[name].http;
  const readQuery = queryReader(name);
  // Unknown members are ignored: a later version of the protocol may add them.
  const fields = new Set(Object.keys((operations[name].input as z.ZodObject).shape));
  // In its own Fastify scope: no other address accepts these bodies.
  server.register((scope, _, done) => {
    takeBodies(scope, name, options.unpacking);
    scope.setErrorHandler((error, request, reply) => refuse(reply, options.explain(known(error), request)));
    scope.route({
      method,
      url: path,
      onRequest: options.requireKey,
      handler: async (request, reply) => {
        const caller = callerOf(request, options.agentId);
        const members = Object.entries(request.body ?? {}).filter(([field]) => fields.has(field));
        const input: Record<string, unknown> = Object.fromEntries(members);
        readQuery(request.raw.url ?? '', input);
        // Only an explicit header counts here, not the default agent of the service.
        if (request.headers['x-mem-agent-id'] !== undefined) input.agent_id ??= caller.agent_id;
        const output = await kernel.invoke(name, input, caller);
        return isProtobuf(request) ? sendProtobuf(reply, output) : answer(reply, operations[name], output).answer;
      },
    });
    done();
  });
}

const isProtobuf = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-protobuf\s*(;|$)/i.test(headers['content-type'] ?? '');

function takeBodies(scope: FastifyInstance, name: OperationName, unpacking: Unpacking): void {
  scope.removeAllContentTypeParsers();
  const forms = [
    [/^application\/json\s*(;|$)/i, (bytes: Buffer) => readBody(bytes, name)],
    [/^application\/x-protobuf\s*(;|$)/i, readProtobuf],
  ] as const;
  for (const [type, read] of forms)
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
      unpacking.read(request, body, read),
    );
}

async function readProtobuf(bytes: Buffer): Promise<Record<string, unknown>> {
  try {
    return await inTurns(decodeMessageInSteps(exportRequest, bytes));
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new Fault('invalid_protobuf', `the body is not an export request of OTLP: ${error.message}`);
  }
}

/** A replayed answer arrives as text. */
function sendProtobuf(reply: FastifyReply, output: unknown): FastifyReply {
  const plain = (output instanceof JsonText ? output.value : output) as Record<string, unknown>;
  return reply.header('content-type', PROTOBUF).send(encodeMessage(exportResponse, plain));
}

function known(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return error;
  return new Fault('unsupported_media_type', `send application/json or ${PROTOBUF}`);
}

/** Canonical gRPC codes: a refusal in protobuf carries one beside its HTTP status. */
const RPC_CODES: Record<number, number> = { 401: 16, 402: 8, 403: 7, 413: 8, 429: 8, 500: 13, 503: 14, 507: 8 };
const INVALID_ARGUMENT = 3;

/** The usual refusal; in protobuf for a client that sends protobuf. */
function refuse(reply: FastifyReply, fault: Fault): FastifyReply {
  if (!isProtobuf(reply.request)) return sendFault(reply, fault);
  const { status, message } = fault;
  const body = encodeMessage(rpcStatus, { code: RPC_CODES[status] ?? INVALID_ARGUMENT, message });
  return refuseWith(reply, fault).header('content-type', PROTOBUF).send(bodyAfterRequest(reply, body));
}

import { Fault, invalidInput, type OperationName, operations } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel/index.ts';
import { answer } from './answer.ts';
import type { KeyCheck } from './auth.ts';
import { readBody } from './body.ts';
import { callerOf } from './caller.ts';
import { give, hasField, queryReader } from './coerce.ts';
import { matchTail, type Pattern, patterns, routerPath } from './routes.ts';

export type OperationOptions = { requireKey: KeyCheck; agentId: string };

type Runner = (params: Record<string, string>, reply: FastifyReply) => Promise<FastifyReply>;

/** One route for each address of each operation. */
export function addOperations(
  server: FastifyInstance,
  kernel: Kernel,
  { requireKey, agentId }: OperationOptions,
): void {
  const runners = new Map(patterns.map(({ name }) => [name, operationRunner(kernel, name, agentId)]));
  const run = (name: OperationName, params: object, reply: FastifyReply) =>
    (runners.get(name) as Runner)(params as Record<string, string>, reply);
  for (const group of groupByRoute()) {
    const [first] = group as [Pattern, ...Pattern[]];
    server.route({
      method: first.method,
      url: routerPath(first),
      ...(group.every(({ name }) => operations[name].open) ? {} : { onRequest: requireKey }),
      handler: (request, reply) => {
        if (first.greedy < 0) return run(first.name, request.params as object, reply);
        const match = matchTail(group, pathOf(request));
        if (match) return run(match.name, match.params, reply);
        throw new Fault('route_not_found', 'an entry is addressed by a path and a key');
      },
    });
  }
}

export function pathOf({ raw: { url = '/' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function groupByRoute(): Iterable<Pattern[]> {
  const groups = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    const id = `${pattern.method} ${routerPath(pattern)}`;
    groups.set(id, [...(groups.get(id) ?? []), pattern]);
  }
  return groups.values();
}

function operationRunner(kernel: Kernel, name: OperationName, agentId: string): Runner {
  const operation = operations[name];
  const readQuery = queryReader(name);
  const versioned = hasField(name, 'if_version');
  return async (params, reply) => {
    const { request } = reply;
    const caller = callerOf(request, agentId);
    const input = Buffer.isBuffer(request.body) ? readBody(request.body, name) : {};
    for (const [field, text] of Object.entries(params)) give(input, field, text);
    readQuery(request.raw.url ?? '', input);
    const ifMatch = request.headers['if-match'];
    if (versioned && ifMatch !== undefined && input.if_version === undefined) input.if_version = versionOf(ifMatch);
    return answer(reply, operation, await kernel.invoke(name, input, caller));
  };
}

/** An ETag of ours starts with the version: `"3.17.0"`, `"3"`. */
function versionOf(ifMatch: string): number {
  const version = /^"?(\d{1,15})(\.\d+)*"?$/.exec(ifMatch.trim())?.[1];
  if (version === undefined)
    throw invalidInput([{ path: 'header if-match', message: 'must be one ETag of this service' }]);
  return Number(version);
}

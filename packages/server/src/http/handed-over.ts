import { Fault } from '@mem-service/contract';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Kernel } from '../kernel/index.ts';
import type { KeyCheck } from './auth.ts';
import { HANDED_OVER_PATH, type HandedResult } from './primary-link.ts';
import { toFault } from './problems.ts';

/** More than a message has, whatever bodies of others may have. */
const MAX_BYTES = 32 * 1024 * 1024;

const message = z.object({ items: z.array(z.object({ kind: z.string(), item: z.unknown() })).max(1_000) });

/** Takes what servers that only read hand over. Between servers only, and no part of the API. */
export function addHandedOver(server: FastifyInstance, kernel: Kernel, requireInternal: KeyCheck): void {
  server.addHook('preClose', async () => kernel.leaveReplicas());
  server.route({
    method: 'POST',
    url: HANDED_OVER_PATH,
    onRequest: [requireInternal],
    bodyLimit: MAX_BYTES,
    handler: async (request) => {
      const { items } = readMessage(request.body);
      const refused = kernel.services.replica?.refusal();
      if (refused) throw refused;
      return { results: await Promise.all(items.map(({ kind, item }) => take(kernel, kind, item))) };
    },
  });
}

function readMessage(body: unknown): z.infer<typeof message> {
  try {
    return message.parse(JSON.parse(String(body)));
  } catch {
    throw new Fault('invalid_json', 'the body is not a message of a read-only server');
  }
}

/** An item that is refused is refused alone. */
async function take(kernel: Kernel, kind: string, item: unknown): Promise<HandedResult> {
  try {
    return { result: (await kernel.receive(kind, item)) ?? null };
  } catch (error) {
    return { refused: toFault(error)?.message ?? `the service failed: ${(error as Error).message}` };
  }
}

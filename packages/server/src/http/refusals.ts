import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Authenticate, presentedBy } from './auth.ts';
import type { RequestMetering } from './metering.ts';
import { pathOf } from './operations.ts';
import { methodsAt, refusalAt } from './routes.ts';

type RefusalParts = { authenticate: Authenticate; pages: ReadonlySet<string>; metering: RequestMetering };

/** Answers requests without a route, before their body is read: with the methods that the address takes, if any. */
export function refuseUnknown(server: FastifyInstance, { authenticate, pages, metering }: RefusalParts): void {
  const refuse = async (request: FastifyRequest): Promise<never> => {
    request.identity = await authenticate(presentedBy(request));
    await metering.countRequest(request.identity);
    const path = pathOf(request);
    await metering.unmatched(request.identity, path);
    throw refusalAt(request.method, path, pages.has(path) ? ['GET'] : methodsAt(path));
  };
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuse(request).catch(done);
    else done();
  });
  server.setNotFoundHandler(refuse);
}

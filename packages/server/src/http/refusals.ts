import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Authenticate, presentedBy } from './auth.ts';
import type { Metering } from './metering.ts';
import { pathOf } from './operations.ts';
import { methodsAt, refusalAt } from './routes.ts';

type Refusing = { authenticate: Authenticate; pages: ReadonlySet<string>; metering: Metering };

/** Answers what no route takes, before its body is read: with the methods that the address does take, if any. */
export function refuseUnknown(server: FastifyInstance, { authenticate, pages, metering }: Refusing): void {
  const refuse = async (request: FastifyRequest): Promise<never> => {
    request.identity = await authenticate(presentedBy(request));
    await metering.welcome(request.identity);
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

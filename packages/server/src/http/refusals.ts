import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Authenticate, presentedBy } from './auth.ts';
import { pathOf } from './operations.ts';
import { methodsAt, refusalAt } from './routes.ts';

/** Answers what no route takes, before its body is read: with the methods that the address does take, if any. */
export function refuseUnknown(
  server: FastifyInstance,
  { authenticate, pages }: { authenticate: Authenticate; pages: ReadonlySet<string> },
): void {
  const refuse = async (request: FastifyRequest): Promise<never> => {
    await authenticate(presentedBy(request));
    const path = pathOf(request);
    throw refusalAt(request.method, path, pages.has(path) ? ['GET'] : methodsAt(path));
  };
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuse(request).catch(done);
    else done();
  });
  server.setNotFoundHandler(refuse);
}

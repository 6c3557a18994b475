import { Fault } from '@mem-service/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Authenticate, presentedKey } from './auth.ts';
import { pathOf } from './operations.ts';
import { methodsAt } from './routes.ts';

/** Answers what no route takes, before its body is read: with the methods that the address does take, if any. */
export function refuseUnknown(
  server: FastifyInstance,
  { authenticate, pages }: { authenticate: Authenticate; pages: ReadonlySet<string> },
): void {
  const refuse = (request: FastifyRequest): never => {
    authenticate(presentedKey(request.headers));
    const path = pathOf(request);
    const methods: string[] = pages.has(path) ? ['GET'] : methodsAt(path);
    if (methods.length === 0) throw new Fault('route_not_found', `there is no route ${request.method} ${path}`);
    const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    throw new Fault('method_not_allowed', `this route takes ${allow.join(', ')}`, { allow });
  };
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuse(request);
    done();
  });
  server.setNotFoundHandler(refuse);
}

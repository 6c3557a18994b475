import { Fault } from '@mem-service/contract';
import type { onRequestHookHandler } from 'fastify';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether a request names this machine in `Host`. */
export const isLocalHost = (host: string | undefined): boolean => LOOPBACK.test(host ?? '');

/**
 * Keeps a server of one machine to the programs of that machine. A web page in the browser of the user can send requests
 * to it too: by its own origin, which the browser names in `Origin` or `Sec-Fetch-Site`, or by a host name that its
 * owner has pointed to this machine (DNS rebinding), which is in `Host`. Both are refused before anything is read.
 */
export function admitLocalOnly(origins: readonly string[]): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
    if (!isLocalHost(host))
      return done(
        new Fault('host_not_allowed', 'this server answers only as localhost or 127.0.0.1 (mem serve --local)'),
      );
    if (origin !== undefined && origin !== `http://${host}` && !origins.includes(origin))
      return done(new Fault('origin_not_allowed', 'pages of other origins are not admitted (mem serve --local)'));
    // An image or a form of a foreign page names no origin. A link that the user follows is harmless.
    const isForeign = origin === undefined && (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
    return isForeign
      ? done(new Fault('origin_not_allowed', 'pages of other origins are not admitted (mem serve --local)'))
      : done();
  };
}

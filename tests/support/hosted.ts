import type { HttpOptions } from '../../packages/server/src/http/server.ts';
import { type Backend, listen, openTestApp, type TestApp, type TestOptions, type TestServer } from './app.ts';
import { type HttpAnswer, type HttpRequest, send } from './wire.ts';

export const INTERNAL_KEY = 'internal-key-of-the-tests';

export type NewAccount = { account_id: string; key_id: string; key: string };

/** A hosted service on a real socket. */
export type Hosted = {
  app: TestApp;
  server: TestServer;
  as(key: string, sent: HttpRequest): Promise<HttpAnswer>;
  control(sent: HttpRequest): Promise<HttpAnswer>;
  newAccount(input?: object): Promise<NewAccount>;
  /** Made by an admin key. */
  newKey(admin: string, input?: object): Promise<{ key_id: string; key: string }>;
  close(): Promise<void>;
};

export type HostedOptions = { app?: TestOptions; http?: Partial<Omit<HttpOptions, 'kernel'>> };

export async function openHosted(backend: Backend, options: HostedOptions = {}): Promise<Hosted> {
  // Tests send many requests within one moment of their clock, so rate limits are off unless a test turns them on.
  const app = await openTestApp(backend, {
    hosted: true,
    rateLimits: false,
    rowSecurity: 'on',
    ...options.app,
  });
  const server = await listen(app, { hosted: true, internalKey: INTERNAL_KEY, ...options.http });
  const withHeaders = (sent: HttpRequest, headers: Record<string, string>) =>
    send(server.url, { ...sent, headers: { ...headers, ...sent.headers } });
  const as = (key: string, sent: HttpRequest) => withHeaders(sent, { 'x-mem-api-key': key });
  const control = (sent: HttpRequest) => withHeaders(sent, { 'x-mem-internal-key': INTERNAL_KEY });
  const made = <T>({ status, json, text }: HttpAnswer): T => {
    if (status !== 201) throw new Error(`${status}: ${text}`);
    return json as T;
  };
  return {
    app,
    server,
    as,
    control,
    newAccount: async (input = {}) =>
      made(await control(post('/api/v1/internal/accounts', { name: 'Example', plan: 'free', ...input }))),
    newKey: async (admin, input = {}) =>
      made(await as(admin, post('/api/v1/admin/api-keys', { name: 'one', rate_limit_rpm: 100_000, ...input }))),
    async close() {
      await server.close();
      await app.close();
    },
  };
}

export const get = (path: string): HttpRequest => ({ method: 'GET', path });
export const post = (path: string, body: object): HttpRequest => ({ method: 'POST', path, body: JSON.stringify(body) });
export const patch = (path: string, body: object): HttpRequest => ({
  method: 'PATCH',
  path,
  body: JSON.stringify(body),
});
export const remove = (path: string): HttpRequest => ({ method: 'DELETE', path });
export const write = (entity_path: string, key = 'k', value: unknown = 1): HttpRequest =>
  post('/api/v1/entries', { entity_path, key, value });

import { afterEach, describe, expect, it } from 'vitest';
import { listen, openTestApp } from '../support/app.ts';
import { send } from '../support/wire.ts';

describe('a browser on another origin', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function start(corsOrigins: string[]): Promise<string> {
    const app = await openTestApp('sqlite');
    const server = await listen(app, { corsOrigins, apiKeys: ['a-key-of-the-test'] });
    closing.push(() => server.close().then(() => app.close()));
    return server.url;
  }

  const ask = (url: string, origin: string, path = '/api/v1/entries') =>
    send(url, {
      method: 'OPTIONS',
      path,
      headers: {
        origin,
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'content-type,x-mem-api-key,idempotency-key',
      },
    });

  it('is let in from anywhere by *', async () => {
    const url = await start(['*']);
    const { status, headers } = await ask(url, 'https://any.example');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(headers.get('access-control-allow-headers')).toBe('content-type,x-mem-api-key,idempotency-key');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('x-request-id')).not.toBeNull();
    const answer = await send(url, { method: 'GET', path: '/health', headers: { origin: 'https://any.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = answer.headers.get('access-control-expose-headers') ?? '';
    for (const name of ['ETag', 'Location', 'X-Request-Id', 'Retry-After']) expect(exposed).toContain(name);
  });

  it('is let in only from the origins listed', async () => {
    const url = await start(['https://app.example', 'https://admin.example']);
    for (const origin of ['https://app.example', 'https://admin.example']) {
      const { headers } = await ask(url, origin);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')).toContain('Origin');
    }
    for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example.evil', 'null'])
      expect((await ask(url, origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('may read refusals too', async () => {
    const url = await start(['*']);
    for (const path of ['/api/v1/entries', '/nowhere', '/api/v1/entries/%FF/x']) {
      const { status, headers } = await send(url, { method: 'GET', path, headers: { origin: 'https://any.example' } });
      expect(status).toBe(401);
      if (!path.includes('%FF')) expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('is answered at any address, with or without the headers of a preflight', async () => {
    const url = await start(['*']);
    expect((await ask(url, 'https://any.example', '/api/v1/entries/a/b/c')).status).toBe(204);
    expect((await send(url, { method: 'OPTIONS', path: '/api/v1/entries' })).status).toBe(204);
  });
});

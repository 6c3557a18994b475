import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

describe('the documentation page', () => {
  const server = useServer('sqlite');
  const get = (path: string) => send(server.url, { method: 'GET', path });

  it('is HTML whose every part comes from the service itself', async () => {
    const { status, headers, text } = await get('/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const parts = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] as string);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts.filter((one) => one !== 'data:,')) {
      expect(part).toMatch(/^\.\/docs\//);
      const { pathname } = new URL(part, `${server.url}/docs`);
      expect((await get(pathname)).status).toBe(200);
    }
    expect(text).not.toMatch(/https?:|\/\//);
  });

  it.each([
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', 10_000],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 100_000],
    ['/docs/start.js', 'text/javascript; charset=utf-8', 20],
    ['/docs/openapi.json', 'application/json; charset=utf-8', 10_000],
  ])('%s is served as %s', async (path, type, bytes) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text.length).toBeGreaterThan(bytes);
  });

  it('starts from the description of this service and asks no other host', async () => {
    const { text } = await get('/docs/start.js');
    expect(text).toContain("url: './docs/openapi.json'");
    expect(text).toContain('validatorUrl: null');
    expect(text).not.toMatch(/https?:|\/\//);
  });

  it('forbids the browser every other host', async () => {
    const policy = (await get('/docs')).headers.get('content-security-policy') ?? '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    expect(rules.get('default-src')).toEqual(["'self'"]);
    for (const [name, sources] of rules)
      for (const source of sources)
        expect(["'self'", "'none'", "'unsafe-inline'", 'data:'], `${name}`).toContain(source);
    expect(rules.get('script-src') ?? rules.get('default-src')).not.toContain("'unsafe-inline'");
    expect(rules.get('frame-ancestors')).toEqual(["'none'"]);
  });

  it('describes the same as /openapi.json', async () => {
    expect((await get('/docs/openapi.json')).text).toBe((await get('/openapi.json')).text);
  });

  it('is found with a slash at its end too', async () => {
    const { status, headers } = await get('/docs/');
    expect([301, 302, 307, 308]).toContain(status);
    expect(headers.get('location')).toBe('../docs');
  });

  it('has nothing beside it that is not meant to be shown', async () => {
    for (const path of ['/docs/package.json', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/logo.svg'])
      expect((await get(path)).status).toBe(404);
  });
});

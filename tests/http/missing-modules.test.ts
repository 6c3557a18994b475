import { type HttpRoute, moduleRoutes, operations, routesWithoutOperation } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

const missing = routesWithoutOperation(operations);
const filled = (path: string) => path.replace('{name}', 'experiment/new').replace(/\{\w+\}/g, '17');

describe('a route whose module is not there', () => {
  const server = useServer('sqlite');

  it.each(missing.map(({ method = 'GET', path, module }) => [`${method} ${path}`, module] as const))(
    '%s names %s',
    async (route, module) => {
      const [method, path] = route.split(' ') as [string, string];
      const answer = await send(server.url, { method, path: filled(path) });
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ code: 'module_not_installed', module });
    },
  );

  it('is known by its module whatever is asked below a whole part of the service', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/eval/judges'],
      ['DELETE', '/api/v1/eval/incidents/17/mute'],
    ] as const)
      expect((await send(server.url, { method, path })).json).toMatchObject({
        code: 'module_not_installed',
        module: 'evaluation',
      });
  });

  it('is not returned for other unknown routes', async () => {
    for (const path of ['/api/v1/branch', '/api/v1/evaluations', '/api/v1/pro', '/api/v1/cortex'])
      expect((await send(server.url, { method: 'GET', path })).json).toMatchObject({ code: 'route_not_found' });
  });

  it('drops off the list when an operation serves it, and the others of its module stay', () => {
    const http: HttpRoute = { method: 'GET', path: '/api/v1/pro/export' };
    const judges: HttpRoute = { method: 'GET', path: '/api/v1/eval/judges' };
    const resolve: HttpRoute = { method: 'PATCH', path: '/api/v1/admin/patterns/{pattern_id}/resolve' };
    const left = routesWithoutOperation({
      ...operations,
      'training.export': { http },
      'patterns.resolve': { http: resolve },
      'judges.list': { http: judges },
    });
    const gone = missing.filter((route) => !left.includes(route)).map(({ method, path }) => [method, path]);
    expect(gone).toEqual([
      ['PATCH', '/api/v1/admin/patterns/{id}/resolve'],
      ['GET', '/api/v1/pro/export'],
      [undefined, '/api/v1/eval'],
    ]);
  });

  it('is not one of tags, which have operations', () => {
    expect(moduleRoutes.some(({ module }) => module === 'tags')).toBe(true);
    expect(missing.some(({ module }) => module === 'tags')).toBe(false);
  });
});

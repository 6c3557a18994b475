import type { HttpMethod, HttpRoute } from './operation.ts';

/** Without a method, the route covers every method and every path below it. */
export type ModuleRoute = { module: string; method?: HttpMethod; path: string };

const at = (module: string, routes: readonly string[]): ModuleRoute[] =>
  routes.map((route) => {
    const [method, path] = route.split(' ') as [HttpMethod, string];
    return { module, method, path };
  });

const TEAM = '/api/v1/admin/teams/{id}';
const BRANCH = '/api/v1/branches/{name}';
const TRACE = '/api/v1/pro/traces/{id}';

/**
 * The routes of each module, including modules that are not installed or do not exist yet. A request to one is answered
 * with the name of the missing module. `routesWithoutOperation` leaves out the routes that an operation serves.
 */
export const moduleRoutes: readonly ModuleRoute[] = [
  ...at('branches', [
    'POST /api/v1/branches',
    'GET /api/v1/branches',
    `GET ${BRANCH}`,
    `DELETE ${BRANCH}`,
    `GET ${BRANCH}/diff`,
    `POST ${BRANCH}/merge`,
    `POST ${BRANCH}/access`,
    `GET ${BRANCH}/access`,
    `DELETE ${BRANCH}/access/{type}/{id}`,
  ]),
  ...at('rollback', ['POST /api/v1/rollback', 'POST /api/v1/fork']),
  ...at('pull-requests', ['POST /api/v1/pull-requests', 'GET /api/v1/pull-requests']),
  ...at('tags', ['POST /api/v1/tags', 'GET /api/v1/tags']),
  ...at('cortex', ['GET /api/v1/briefing', 'GET /api/v1/cortex/status', 'GET /api/v1/cortex/digests']),
  ...at('teams', [
    'GET /api/v1/admin/teams',
    'POST /api/v1/admin/teams',
    `PATCH ${TEAM}`,
    `DELETE ${TEAM}`,
    `GET ${TEAM}/members`,
    `POST ${TEAM}/members`,
    `PATCH ${TEAM}/members/{mid}`,
    `DELETE ${TEAM}/members/{mid}`,
  ]),
  ...at('pattern-detection', [
    'GET /api/v1/admin/patterns',
    'POST /api/v1/admin/patterns/scan',
    'PATCH /api/v1/admin/patterns/{id}/resolve',
  ]),
  ...at('trace-navigation', [
    'POST /api/v1/pro/traces/search',
    `GET ${TRACE}/spans`,
    `GET ${TRACE}/spans/{span_id}`,
    'POST /api/v1/pro/traces/compare',
  ]),
  ...at('training-export', ['GET /api/v1/pro/export']),
  { module: 'evaluation', path: '/api/v1/eval' },
];

type Table = Readonly<Record<string, { http: HttpRoute & { aliases?: readonly HttpRoute[] } }>>;

/** Routes that differ only in parameter names are the same route. */
const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}');

/** Routes that no operation in the table serves. */
export function routesWithoutOperation(operations: Table): ModuleRoute[] {
  const served = Object.values(operations).flatMap(({ http }) => [http, ...(http.aliases ?? [])]);
  return moduleRoutes.filter(({ method, path }) =>
    served.every((route) =>
      method === undefined
        ? !`${route.path}/`.startsWith(`${path}/`)
        : route.method !== method || shapeOf(route.path) !== shapeOf(path),
    ),
  );
}

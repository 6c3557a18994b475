import { type OperationName, operations } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Kernel } from '../kernel/index.ts';
import type { KeyCheck } from './auth.ts';
import { addDashboard } from './dashboard.ts';
import { docsPages } from './docs.ts';
import { addHome } from './home.ts';
import { type GatherMetrics, renderMetrics } from './metrics.ts';
import { openApiDocument } from './openapi/index.ts';

export type StaticPage = {
  url: string;
  type: string;
  /** Shown without a key. */
  open?: boolean;
  /** Instead of the usual check of the key. */
  check?: KeyCheck;
  headers?: Readonly<Record<string, string>>;
  body(): Buffer | string | Promise<Buffer | string>;
};

export type PagesOptions = {
  requireKey: KeyCheck;
  requireMetricsKey: KeyCheck;
  hasKeys: boolean;
  /** The operator of a hosted service can call its operations here. */
  hasControl: boolean;
  /** The folder of the built dashboard; undefined where it is not shown. */
  dashboard?: string | undefined;
  /** Set where several processes serve the address. */
  gatherMetrics?: GatherMetrics | undefined;
};

/** Adds the pages about the service itself. Returns their addresses. */
export function addPages(
  server: FastifyInstance,
  kernel: Kernel,
  { hasKeys, hasControl, dashboard: folder, gatherMetrics, ...checks }: PagesOptions,
): ReadonlySet<string> {
  let document: Buffer | undefined;
  const openApi = () => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(kernel.services.version, { hasControl })));
    return document;
  };
  const pages: StaticPage[] = [
    { url: '/openapi.json', type: 'application/json; charset=utf-8', body: openApi },
    {
      url: '/metrics',
      type: 'text/plain; version=0.0.4; charset=utf-8',
      check: checks.requireMetricsKey,
      body: () => renderMetrics(kernel, gatherMetrics),
    },
    ...docsPages(openApi, { hasDashboard: folder !== undefined }),
  ];
  for (const page of pages)
    server.route({
      method: 'GET',
      url: page.url,
      ...(page.open ? {} : { onRequest: page.check ?? checks.requireKey }),
      handler: (_request, reply) => show(page, reply),
    });
  // Relative, so that it leads to the page below any path.
  server.get('/docs/', (_request, reply) => reply.redirect('../docs'));
  const dashboard = folder === undefined ? undefined : addDashboard(server, folder);
  const { version } = kernel.services;
  const home = addHome(server, { version, modules: modulesOf(kernel), hasKeys, dashboard: dashboard?.index });
  return new Set([...pages.map(({ url }) => url), '/docs/', home, ...(dashboard?.urls ?? [])]);
}

/** The modules whose operations are served here. */
function modulesOf(kernel: Pick<Kernel, 'serves'>): string[] {
  const served = (Object.keys(operations) as OperationName[]).filter((name) => kernel.serves(name));
  return [...new Set(served.map((name) => operations[name].module))].sort();
}

async function show({ type, headers = {}, body }: StaticPage, reply: FastifyReply): Promise<FastifyReply> {
  return reply.headers({ ...headers, 'content-type': type }).send(await body());
}

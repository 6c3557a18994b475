import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ShowIndex } from './dashboard.ts';
import { PAGE_HEADERS } from './docs.ts';

export type HomeOptions = {
  version: string;
  /** Names of the modules that are installed. */
  modules: readonly string[];
  hasKeys: boolean;
  /** Set where browsers are shown the dashboard instead of a page that leads on. */
  dashboard: ShowIndex | undefined;
};

/** Leads people and programs that find nothing but the address. It says nothing of what is stored. */
export function addHome(server: FastifyInstance, options: HomeOptions): string {
  server.get('/', (request, reply) => {
    const wantsPage = /\btext\/html\b/i.test(request.headers.accept ?? '');
    if (wantsPage && options.dashboard) return options.dashboard(request, reply.header('vary', 'Accept'));
    // The address in it is that of the request.
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' });
    if (!wantsPage) return reply.type('application/json; charset=utf-8').send(JSON.stringify(links(request, options)));
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page(request, options));
  });
  return '/';
}

/** The address that the client used, unless it holds what no address does. */
function originOf({ protocol, host }: FastifyRequest): string {
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : 'http://localhost:8080';
}

const SUMMARY = 'Memory for software agents: versioned entries that agents write, read, search and learn from.';

function links(request: FastifyRequest, { version, modules, hasKeys, dashboard }: HomeOptions) {
  const origin = originOf(request);
  return {
    name: 'mem',
    version,
    summary: SUMMARY,
    ...(dashboard ? { dashboard: `${origin}/` } : {}),
    docs: `${origin}/docs`,
    openapi: `${origin}/docs/openapi.json`,
    health: `${origin}/health`,
    api: `${origin}/api/v1`,
    mcp: `${origin}/mcp`,
    needs_key: hasKeys,
    modules,
    cli: 'npx @mem-service/cli',
  };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function page(request: FastifyRequest, options: HomeOptions): string {
  const { version, docs, health, mcp, api } = links(request, options);
  const key = options.hasKeys ? ` \\\n  -H "X-MEM-API-Key: $MEM_API_KEY"` : '';
  const write = `curl ${api}/entries${key} \\
  -H 'Content-Type: application/json' \\
  -d '{"entity_path": "checkout/payments", "key": "retry-policy", "value": "three attempts"}'`;
  const read = `curl ${api}/entries/checkout/payments/retry-policy${key}`;
  const auth = options.hasKeys
    ? 'This server wants an API key with every request to the interface.'
    : 'This server wants no key: whoever reaches this address can read and write.';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mem</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
pre { padding: 0.75rem 1rem; overflow-x: auto; border: 1px solid #8886; border-radius: 6px; }
dt { font-weight: 600; }
dd { margin: 0 0 0.5rem; }
</style>
</head>
<body>
<main>
<h1>mem ${escaped(version)}</h1>
<p>${SUMMARY}</p>
<p>${auth}</p>
<dl>
<dt>Documentation</dt>
<dd><a href="./docs">${escaped(docs)}</a>: every operation, to read and to try</dd>
<dt>Health</dt>
<dd><a href="./health">${escaped(health)}</a></dd>
<dt>MCP</dt>
<dd><code>${escaped(mcp)}</code>: tools for agents, over streamable HTTP</dd>
<dt>Command line</dt>
<dd><code>npx @mem-service/cli init</code> connects your agents, <code>npx @mem-service/cli help</code> shows the rest</dd>
</dl>
<h2>Write something, then read it</h2>
<pre><code>${escaped(write)}
${escaped(read)}</code></pre>
</main>
</body>
</html>
`;
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCS_SCRIPT } from './docs-script.ts';
import type { StaticPage } from './pages.ts';

const TO_DASHBOARD = `<nav aria-label="mem"><strong>mem</strong><a href="./">Dashboard</a><span aria-current="page">API docs</span></nav>
`;
/** As the dashboard has it: a line of quiet words above the page. */
const STYLE = `nav { font: 13px/44px system-ui, sans-serif; display: flex; gap: 20px; padding: 0 20px; border-bottom: 1px solid #e6e6e3; }
nav a { color: #1d5fb4; text-decoration: none; }
nav a:hover { text-decoration: underline; }`;

const pageOf = (nav: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mem API</title>
<link rel="stylesheet" href="./docs/swagger-ui.css">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${nav}<div id="docs"></div>
<script src="./docs/swagger-ui-bundle.js"></script>
<script src="./docs/start.js"></script>
</body>
</html>
`;

const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** A page may load nothing from another host: no script, no image, no request. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };

/** Beside the bundle, or where only the sources are, in the package that the build takes them from. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL('./swagger-ui', import.meta.url));
  if (existsSync(beside)) return beside;
  return join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static');
}

/** Reads once: all connections share the bytes, also those whose readers are slow. */
function keptBytes(read: () => Promise<Buffer>): () => Promise<Buffer> {
  let bytes: Promise<Buffer> | undefined;
  return () => {
    bytes ??= read().catch((error: unknown) => {
      bytes = undefined;
      throw error;
    });
    return bytes;
  };
}

/** Interactive documentation from files of the package; nothing is loaded from elsewhere. */
export function docsPages(openApi: () => Buffer, { hasDashboard }: { hasDashboard: boolean }): StaticPage[] {
  const page = pageOf(hasDashboard ? TO_DASHBOARD : '');
  const script = 'text/javascript; charset=utf-8';
  const files = Object.entries(FILES).map(([file, type]) => ({
    url: `/docs/${file}`,
    type,
    open: true,
    headers: { 'cache-control': 'public, max-age=86400' },
    body: keptBytes(() => readFile(join(pageFolder(), file))),
  }));
  return [
    { url: '/docs', type: 'text/html; charset=utf-8', open: true, headers: PAGE_HEADERS, body: () => page },
    { url: '/docs/start.js', type: script, open: true, body: () => DOCS_SCRIPT },
    { url: '/docs/openapi.json', type: 'application/json; charset=utf-8', open: true, body: openApi },
    ...files,
  ];
}

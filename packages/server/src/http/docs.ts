import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mem API</title>
<link rel="stylesheet" href="./docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="docs"></div>
<script src="./docs/swagger-ui-bundle.js"></script>
<script src="./docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: './docs/openapi.json', dom_id: '#docs', deepLinking: true, persistAuthorization: true, tryItOutEnabled: true, validatorUrl: null });\n`;

const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Interactive documentation from files that come with the service: nothing is fetched from anywhere else. */
export function addDocs(server: FastifyInstance, openApi: () => string): void {
  const require = createRequire(import.meta.url);
  const folder = () => join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
  server.get('/docs', (_request, reply) =>
    reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', policy).send(PAGE),
  );
  server.get('/docs/', (_request, reply) => reply.redirect('/docs'));
  server.get('/docs/start.js', (_request, reply) =>
    reply.header('content-type', 'text/javascript; charset=utf-8').send(START),
  );
  server.get('/docs/openapi.json', (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(openApi()),
  );
  for (const [file, type] of Object.entries(FILES))
    server.get(`/docs/${file}`, async (_request, reply) =>
      reply
        .header('content-type', type)
        .header('cache-control', 'public, max-age=86400')
        .send(await readFile(join(folder(), file))),
    );
}

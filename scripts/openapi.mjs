// Writes from the table of operations what others read: openapi.json, and the table of routes for the SDK. Run by
// `npm run openapi`, which lets Node run the sources.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { routesSource } from '../packages/contract/src/route-table.ts';
import { openApiDocument } from '../packages/server/src/http/openapi/index.ts';
import { VERSION } from '../packages/server/src/version.ts';

const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
writeFileSync(fromRoot('packages/contract/src/routes.ts'), routesSource());
writeFileSync(fromRoot('openapi.json'), `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);

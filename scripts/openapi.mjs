// Writes openapi.json from the table of operations. Run by `npm run openapi`, which lets Node run the sources.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../packages/server/src/http/openapi/index.ts';
import { VERSION } from '../packages/server/src/version.ts';

const file = fileURLToPath(new URL('../openapi.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);

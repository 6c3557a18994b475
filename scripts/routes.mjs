// Writes the table of routes from the table of operations. Run by `npm run openapi`, which lets Node run the sources.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { routesSource } from '../packages/contract/src/route-table.ts';

writeFileSync(fileURLToPath(new URL('../packages/contract/src/routes.ts', import.meta.url)), routesSource());

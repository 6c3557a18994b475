import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const bench = fileURLToPath(new URL('.', import.meta.url));
export const root = join(bench, '..');
export const data = join(bench, '.data');
export const server = join(root, 'packages', 'server');
export const program = join(server, 'dist', 'mem.js');

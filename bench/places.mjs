import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const bench = fileURLToPath(new URL('.', import.meta.url));
export const root = join(bench, '..');
export const data = join(bench, '.data');
export const server = join(root, 'packages', 'server');
export const dist = join(root, 'packages', 'cli', 'dist');
export const program = join(dist, 'mem.js');

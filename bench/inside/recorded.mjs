// How many reads are in the sessions of a store, and how many events in its log. The folder is the first argument.
import { join } from 'node:path';

// biome-ignore lint/correctness/noUndeclaredDependencies: the service's own driver
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const file = new DatabaseSync(join(process.argv[2], 'mem.db'), { readOnly: true });
const count = (table) => file.prepare(`SELECT count(*) AS n FROM ${table}`).get().n;
process.stdout.write(JSON.stringify({ reads: count('session_reads'), events: count('events') }));
file.close();

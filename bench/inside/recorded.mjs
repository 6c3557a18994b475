// Counts the reads in the sessions of a store, and the events in its log. The folder is the first argument.
import { join } from 'node:path';

const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const file = new DatabaseSync(join(process.argv[2], 'mem.db'), { readOnly: true });
const number = (select) => file.prepare(`SELECT ${select}`).get().n;
const reads = number('coalesce(sum(reads), 0) AS n FROM sessions');
process.stdout.write(JSON.stringify({ reads, events: number('count(*) AS n FROM events') }));
file.close();

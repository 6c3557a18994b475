// SQLite alone: the recorded statements of real writes on the same driver, with the same transactions, settings and
// flushes, in a process that does nothing else. The first argument is the file of bench/inside/record-writes.mjs.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { base, writes, start, steps } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const folder = `${base}-replay`;
rmSync(folder, { recursive: true, force: true });
cpSync(base, folder, { recursive: true });

const connections = new Map();
const connectionOf = (number) => {
  const known = connections.get(number);
  if (known) return known;
  const file = join(folder, number === 1 ? 'words.db' : 'mem.db');
  const connection = { database: new DatabaseSync(file, { readOnly: number === 2 }), statements: new Map() };
  connections.set(number, connection);
  return connection;
};

function replay([number, kind, text, values]) {
  const { database, statements } = connectionOf(number);
  if (kind === 'exec') {
    database.exec(text);
    return;
  }
  let statement = statements.get(text);
  if (!statement) {
    statement = database.prepare(text);
    statements.set(text, statement);
  }
  statement[kind](...values);
}

for (const step of steps.slice(0, start)) replay(step);
const timed = steps.slice(start);
const before = process.cpuUsage();
const started = performance.now();
for (const step of timed) replay(step);
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
for (const { database } of connections.values()) database.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ writes_per_s: writes / seconds, cpu_us: (user + system) / writes }));

// Times the check of a key in memory, and beside it one SHA-256 of the key. The options are JSON in the first argument.
import { createHash } from 'node:crypto';
import { openApp } from '../../packages/server/src/app.ts';
import { authenticateByRing } from '../../packages/server/src/http/auth-hosted.ts';
import { caller } from './open.mjs';

const { dataDir, rounds } = JSON.parse(process.argv[2]);
const CHECKS = 200_000;

let statements = 0;
const counted = (query) => ({
  all: (statement) => query.all(statement),
  get(statement) {
    statements++;
    return query.get(statement);
  },
});
const wrapDatabase = (database) => {
  const methods = ['transaction', 'maintain', 'exclusively', 'announce', 'onAnnounce', 'close'];
  const bound = Object.fromEntries(methods.map((name) => [name, database[name].bind(database)]));
  return { ...bound, dialect: database.dialect, scan: database.scan, read: counted(database.read) };
};
const awake = setInterval(() => {}, 1000);
const app = await openApp({ dataDir, hosted: true, sweepSeconds: 86_400, wrapDatabase });
const { key } = await app.kernel.invoke(
  'accounts.create',
  { name: 'bench', plan: 'free' },
  { ...caller, control: true },
);
const authenticate = authenticateByRing(app.kernel.services.keys);
await authenticate({ key, address: '127.0.0.1' });

function time(check) {
  const started = performance.now();
  for (let i = 0; i < CHECKS; i++) check();
  return ((performance.now() - started) * 1000) / CHECKS;
}
const timeHash = () => time(() => createHash('sha256').update(key).digest());
const timeCheck = () => time(() => authenticate({ key, address: '127.0.0.1' }));

timeHash();
timeCheck();
statements = 0;
const pairs = [];
for (let i = 0; i < rounds; i++) {
  const first = i % 2 === 0 ? { floor: timeHash() } : {};
  const ours = timeCheck();
  pairs.push({ floor: { value: first.floor ?? timeHash() }, ours: { value: ours } });
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await app.close();
clearInterval(awake);
process.stdout.write(JSON.stringify({ pairs, statements }));

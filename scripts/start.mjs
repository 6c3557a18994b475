// Builds the packages, also those that programs beside it import, and becomes the server, so that a signal to `npm start`
// reaches it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));
const parent = process.ppid;
const LOOK_EVERY_MS = 200;

const { status } = spawnSync(process.execPath, [fromHere('build.mjs'), 'cli', 'sdk', 'contract'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// npm sends its signals to the shell between it and this process. Some shells put this process in their place; others
// end and pass nothing on, and then this process has another parent.
if (process.env.npm_lifecycle_event !== undefined) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}

const program = fromHere('../packages/cli/dist/mem.js');
process.argv.splice(1, 1, program, 'serve');
await import(program);

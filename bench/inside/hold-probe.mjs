// Loaded into a server with --import. Measures how long each turn of its event loop takes, from a command `begin` to a
// command `end` on a socket whose path is in the query of this module's address.
import { openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) serve(new URL(import.meta.url).searchParams.get('socket'));

function serve(path) {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(64);
  /** The processor time of the main thread; other programs on the machine do not add to it. */
  const cpuMs = () => Number.parseInt(bytes.toString('latin1', 0, readSync(stat, bytes, 0, 64, 0)), 10) / 1e6;

  let longest;
  let last;
  const turn = () => {
    if (!last) return;
    const now = { wall: performance.now(), cpu: cpuMs() };
    longest.wall = Math.max(longest.wall, now.wall - last.wall);
    longest.cpu = Math.max(longest.cpu, now.cpu - last.cpu);
    last = now;
    setImmediate(turn);
  };
  const commands = {
    begin() {
      longest = { wall: 0, cpu: 0 };
      last = { wall: performance.now(), cpu: cpuMs() };
      setImmediate(turn);
      return {};
    },
    end() {
      last = undefined;
      return longest;
    },
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (text) => socket.write(`${JSON.stringify(commands[String(text).trim()]())}\n`));
  });
  server.listen(path);
  server.unref();
}

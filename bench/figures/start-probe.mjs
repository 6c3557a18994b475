// Starts a server and requests its health without pause until it answers. Prints the elapsed time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

const { command, args, port } = JSON.parse(process.argv[2]);
const DEADLINE_MS = 30_000;

function askOnce() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'));
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1', 9, 12) === '200');
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}

const started = performance.now();
const child = spawn(command, args, { stdio: 'ignore' });
while (!(await askOnce())) {
  if (child.exitCode !== null || performance.now() - started > DEADLINE_MS) {
    child.kill('SIGKILL');
    throw new Error('the server did not start');
  }
}
const ms = performance.now() - started;
const ended = once(child, 'exit');
child.kill('SIGTERM');
await ended;
process.stdout.write(JSON.stringify({ ms }));

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pinned } from '../machine.mjs';
import { environment } from '../processes.mjs';

/** A minimal client of an MCP server over standard input and output. */
export async function startStdio(file, env, role = 'server') {
  const [command, args] = pinned(role, process.execPath, [file]);
  const child = spawn(command, args, { env: environment(env), stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let nextId = 1;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const request = waiting.get(id);
    waiting.delete(id);
    if (error) request?.reject(new Error(error.message));
    else request?.resolve(result);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended`));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const clientInfo = { name: 'bench', version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return {
    pid: child.pid,
    request,
    async call(name, given) {
      const result = await request('tools/call', { name, arguments: given });
      if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
      return result;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pinned } from '../machine.mjs';
import { environment } from '../processes.mjs';

/** The knowledge-graph server of the MCP project, over standard input and output. */
export async function measureServerMemory({ file, store, entries, atOnce }) {
  const client = await start(file, store);
  const write = (name) =>
    client.call('create_entities', {
      entities: [{ name, entityType: 'note', observations: [`the note of ${name}`] }],
    });
  const rate = async (count, run) => {
    const started = performance.now();
    for (let i = 0; i < count; i++) await run(i);
    return (count / (performance.now() - started)) * 1000;
  };
  try {
    const write_per_s = await rate(entries, (i) => write(`k${i}`));
    const search_per_s = await rate(200, (i) => client.call('search_nodes', { query: `k${i}` }));
    await Promise.all(Array.from({ length: atOnce }, (_, i) => write(`once${i}`)));
    const { content } = await client.call('search_nodes', { query: 'once' });
    const kept = JSON.parse(content[0].text).entities.length;
    return { write_per_s, search_per_s, kept };
  } finally {
    await client.stop();
  }
}

async function start(file, store) {
  const [command, args] = pinned('server', process.execPath, [file]);
  const env = environment({ MEMORY_FILE_PATH: store });
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
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
    for (const { reject } of waiting.values()) reject(new Error('the peer ended'));
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
    call: (name, given) => request('tools/call', { name, arguments: given }),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

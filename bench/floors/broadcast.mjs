// Only node:http: writes each posted body to every listener, batches what arrives together, and stores nothing.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const sample = JSON.parse(readFileSync(process.env.FLOOR_BODY_FILE, 'utf8'));
const listeners = new Set();
let seq = 0;
let waiting = [];

function broadcast() {
  const bytes = Buffer.concat(waiting);
  waiting = [];
  for (const listener of listeners) listener.write(bytes);
}

async function post(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { key } = JSON.parse(body);
  seq++;
  if (waiting.length === 0) setImmediate(broadcast);
  waiting.push(Buffer.from(`event: memory_write\nid: ${seq}\ndata: ${JSON.stringify({ ...sample, seq, key })}\n\n`));
  response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
}

function listen(response) {
  response.removeHeader('transfer-encoding');
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  response.write(': connected\n\n');
  listeners.add(response);
  response.once('close', () => listeners.delete(response));
}

const server = createServer((request, response) => {
  if (request.method === 'POST') void post(request, response);
  else listen(response);
});
server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));

// Many readers of the stream and one writer in a separate process, over plain sockets. The plan comes as JSON on
// standard input. Every reader must receive every event, once and in order; latency is counted from the moment the
// write was sent.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const plan = JSON.parse(await text(process.stdin));
const { hostname, port } = new URL(plan.url);
const fixedHeaders = Object.entries({ ...plan.headers, 'content-type': 'application/json' }).map(
  ([name, value]) => `${name}: ${value}\r\n`,
);
const requestOf = (line, body = '') =>
  `${line} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${fixedHeaders.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const total = plan.seconds * plan.rate;
const sentAt = new Float64Array(total);
const delays = new Float64Array(total * plan.subscribers);
/** Time for a slow server to catch up. */
const WAIT_MS = 60_000;
let arrived = 0;
let problem;

const END = Buffer.from('\n\n');
const ID = Buffer.from('\nid: ');
const KEY = Buffer.from('"key":"n');

function numberAt(bytes, from) {
  let number = 0;
  for (let at = from; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) number = number * 10 + bytes[at] - 0x30;
  return number;
}

/** Shared by all readers: each read is processed before the next one. */
const buffer = Buffer.alloc(1024 * 1024);

/** Parses a reader's bytes, with as little work as possible, so that the reader is not the bottleneck. */
function createTaker(onConnected) {
  let rest = Buffer.alloc(0);
  let last = 0;
  return (chunk) => {
    const now = performance.now();
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, from)) {
      const key = bytes.indexOf(KEY, from);
      if (key >= 0 && key < end) {
        const id = numberAt(bytes, bytes.indexOf(ID, from) + ID.length);
        if (last !== 0 && id !== last + 1) problem ??= `a reader was told of ${id} after ${last}`;
        last = id;
        delays[arrived++] = now - sentAt[numberAt(bytes, key + KEY.length)];
      } else onConnected();
      from = end + END.length;
    }
    rest = from === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(from));
  };
}

/** Resolves to a reader once the stream has confirmed its connection. */
function subscribe() {
  return new Promise((resolve, reject) => {
    const take = createTaker(() => resolve());
    const callback = (size, bytes) => {
      take(bytes.subarray(0, size));
      return true;
    };
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
    socket.once('connect', () => socket.write(requestOf('GET /api/v1/stream')));
    socket.on('error', reject);
    socket.on('close', () => {
      problem ??= 'a reader was cut off';
    });
  });
}

async function write() {
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
  });
  const started = performance.now();
  await new Promise((resolve) => {
    let n = 0;
    const tick = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * plan.rate));
      for (; n < due; n++) {
        sentAt[n] = performance.now();
        socket.write(requestOf('POST /api/v1/entries', plan.body.replace('{n}', `n${n}`)));
      }
      if (n < total) return;
      clearInterval(tick);
      resolve();
    }, 1);
  });
  return { socket, refused: () => (answers.match(/HTTP\/1\.1 [3-5]/g) ?? []).length };
}

// In groups, so that the server's connection backlog does not overflow.
for (let left = plan.subscribers; left > 0; left -= 50)
  await Promise.all(Array.from({ length: Math.min(50, left) }, subscribe));
const writer = await write();
const deadline = performance.now() + WAIT_MS;
while (arrived < delays.length && performance.now() < deadline && !problem) await new Promise((r) => setTimeout(r, 20));
if (arrived < delays.length) problem ??= `${delays.length - arrived} of ${delays.length} events did not arrive`;
const refused = writer.refused();
const found = delays.subarray(0, arrived).sort();
const percentile = (share) => found[Math.min(found.length - 1, Math.floor(found.length * share))] ?? 0;
process.stdout.write(
  JSON.stringify({ problem, arrived, non2xx: refused, p50_ms: percentile(0.5), p99_ms: percentile(0.99) }),
);
process.exit(0);

// The built-in load generator, a separate process. It implements just enough HTTP/1.1 over plain sockets to be faster
// than any server under test: node:http would itself be the bottleneck. The plan comes as JSON on standard input.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { randomFrom } from '../corpus.mjs';
import { drawEntry, sessionOf, toFunction } from './templates.mjs';

const plan = JSON.parse(await text(process.stdin));
const { hostname, port } = new URL(plan.url);
const random = randomFrom(plan.seed);
const below = (limit) => Math.floor(random() * limit);
const fixedHeaders = Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}\r\n`);
/** The header with the signature of a body, as the sender of a webhook makes it. */
const signatureOf = (content, { header, prefix, secret, before }) =>
  `${header}: ${prefix}${createHmac('sha256', secret).update(before).update(content).digest('hex')}\r\n`;

const makers = plan.requests.map(({ method, path, headers = {}, body, sign }) => {
  const toPath = toFunction(path);
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const toHeaders = toFunction([...fixedHeaders, ...own].join(''));
  const toBody = body === undefined ? undefined : toFunction(body);
  return (numbers) => {
    const content = toBody?.(numbers);
    const length = content === undefined ? '' : `content-length: ${Buffer.byteLength(content)}\r\n`;
    const signature = sign ? signatureOf(content, sign) : '';
    return `${method} ${toPath(numbers)} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${toHeaders(numbers)}${signature}${length}\r\n${content ?? ''}`;
  };
});

let n = 0;
const latencies = [];
let failures = 0;
const started = performance.now();
const deadline = started + plan.seconds * 1000;

const nextRequest = () => {
  const r = drawEntry(random(), plan.numbers);
  const s = sessionOf(++n, plan.numbers);
  return makers[below(makers.length)]({ n, r, g: Math.floor(r / plan.numbers.perFolder), s });
};

/** One connection: sends a request, waits for the whole answer, and repeats until the time is over. */
function converse() {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let received = Buffer.alloc(0);
    let asked = 0;
    const ask = () => {
      if (performance.now() >= deadline) {
        socket.destroy();
        return;
      }
      asked = performance.now();
      socket.write(nextRequest());
    };
    socket.on('connect', ask);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = takeAnswer(received);
      if (!answer) return;
      received = received.subarray(answer.length);
      latencies.push(performance.now() - asked);
      if (answer.status < 200 || answer.status > 299) failures++;
      ask();
    });
    socket.on('error', () => failures++);
    socket.on('close', resolve);
    setTimeout(() => socket.destroy(), plan.seconds * 1000 + 10_000).unref();
  });
}

/** The status and the total length of an answer, once it is complete. */
function takeAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const size = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (size === undefined) return { status: 0, length: bytes.length };
  const length = end + 4 + Number(size);
  return bytes.length < length ? undefined : { status: Number(head.slice(9, 12)), length };
}

await Promise.all(Array.from({ length: plan.connections }, converse));
const seconds = (performance.now() - started) / 1000;
latencies.sort((a, b) => a - b);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
process.stdout.write(
  JSON.stringify({
    requests_per_s: latencies.length / seconds,
    p50_ms: percentile(0.5),
    p99_ms: percentile(0.99),
    requests: latencies.length,
    non2xx: failures,
  }),
);

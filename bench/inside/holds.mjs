// Sends the largest and the most costly requests of every operation to a server, one at a time, and prints for each how
// long it held the event loop. The options are JSON in the first argument.
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { casesOf } from './hold-cases.mjs';
import { forms } from './hold-forms.mjs';
import { packedCases } from './hold-packed.mjs';

const { url, socket, headers, repeats = 3, ...filter } = JSON.parse(process.argv[2]);

const probe = connect(socket);
await once(probe, 'connect');
const lines = createInterface({ input: probe })[Symbol.asyncIterator]();
async function command(text) {
  probe.write(`${text}\n`);
  return JSON.parse((await lines.next()).value);
}

async function send({ method, path, body, headers: own = {} }) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, body, headers: { ...headers, ...type, ...own } });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return { status: response.status, bytes };
}

/** Entries that reads, diffs and aggregates find: large ones in two versions, and many small ones. */
async function seed() {
  const kinds = Object.values(forms);
  for (const version of [0, 1])
    for (let i = 0; i < 8; i++) {
      const form = kinds[i % kinds.length];
      const text = form.text?.(500_000 + version) ?? '';
      const value =
        i < 4 ? { rows: Array.from({ length: 9000 }, (_, n) => ({ k1: n + version, k2: n % 97, t: `x${n}` })) } : text;
      await send({
        method: 'POST',
        path: '/api/v1/entries',
        body: JSON.stringify({ entity_path: 'holds/seed', key: `large-${i}`, value }),
      });
    }
}

await seed();
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
for (const one of [...casesOf(filter), ...packedCases(filter)]) {
  const request = one.request();
  const runs = [];
  let answer;
  for (let i = 0; i < repeats; i++) {
    await command('begin');
    answer = await send(request).catch((error) => ({ status: 0, bytes: 0, error: String(error.cause ?? error) }));
    runs.push(await command('end'));
  }
  const { status, bytes, error } = answer;
  const cpu = median(runs.map((run) => run.cpu));
  const wall = median(runs.map((run) => run.wall));
  const sent = request.body?.length ?? 0;
  console.log(
    JSON.stringify({ name: one.name, what: one.what, sent, status, bytes, cpu, wall, ...(error ? { error } : {}) }),
  );
}
probe.end();

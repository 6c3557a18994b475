// Times transforms in a thread and in this process, from the bodies of deliveries to checked results. The options are JSON
// in the first argument, the bodies on standard input.
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadInProcess } from '../../packages/server/src/connectors/in-process.ts';
import { loadInThread } from '../../packages/server/src/connectors/in-thread.ts';
import { keepText } from '../../packages/server/src/payload-text.ts';

const { file, name, class_name, headers, rounds } = JSON.parse(process.argv[2]);
const bodies = JSON.parse(await text(process.stdin));
const BATCHES = [16, 100];
const MAX_VALUE_BYTES = 1024 * 1024;
/** Events of one measurement. */
const EVENTS = 4000;

const awake = setInterval(() => {}, 1000);
const { [class_name]: Connector } = await import(file);
const webhook = {
  signature_header: 'x',
  signature_algorithm: 'hmac-sha256',
  signature_prefix: '',
  max_payload_bytes: MAX_VALUE_BYTES,
};
const config = { batch_size: Math.max(...BATCHES), retry_attempts: 0, retry_delay_seconds: 0 };
const manifest = { name, webhook, config, event_types: ['*'], default_entity_path: name };
const facts = { manifest, secrets: [], unsigned: false, records_outcomes: false, missing_variables: [] };
const inProcess = loadInProcess(facts, new Connector({ variables: {}, config: {} }), {
  max_value_bytes: MAX_VALUE_BYTES,
});
const inThread = loadInThread(facts, {
  ...{ file, class_name, name, folder: dirname(file) },
  options: { variables: {}, config: {} },
  batch_size: config.batch_size,
  max_value_bytes: MAX_VALUE_BYTES,
  onWarning: (warning) => {
    throw new Error(warning);
  },
});

/** As the transport reads it. */
function payloadOf(body) {
  const payload = JSON.parse(body);
  keepText(payload, body);
  return payload;
}

/** Events that arrived together, as the transport makes them of bodies. */
const newBatch = (size, from) =>
  Array.from({ length: size }, (_, i) => ({
    event_type: headers['x-github-event'] ?? 'message',
    payload: payloadOf(bodies[(from + i) % bodies.length]),
    headers,
    id: String(from + i),
    received_at: '2026-01-01T00:00:00.000Z',
  }));

/** Microseconds an event. Deliveries keep coming: while one batch is transformed, the next is read. */
async function time(connector, size) {
  const started = performance.now();
  const before = process.cpuUsage();
  let from = 0;
  const sender = async () => {
    while (from < EVENTS) {
      const batch = newBatch(size, from);
      from += size;
      for (const one of await connector.transform(batch))
        if (!one.results?.length) throw new Error(`an event failed: ${JSON.stringify(one)}`);
    }
  };
  await Promise.all([sender(), sender()]);
  const { user, system } = process.cpuUsage(before);
  return { value: ((performance.now() - started) * 1000) / EVENTS, cpu: (user + system) / EVENTS };
}

const measured = [];
for (const batch of BATCHES) {
  for (const connector of [inProcess, inThread]) await time(connector, batch);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? { floor: await time(inProcess, batch) } : {};
    const ours = await time(inThread, batch);
    pairs.push({ floor: first.floor ?? (await time(inProcess, batch)), ours });
  }
  measured.push({ batch, pairs });
}
await inThread.close();
clearInterval(awake);
process.stdout.write(JSON.stringify(measured));

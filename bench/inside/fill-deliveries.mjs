// Fills a store with remembered deliveries, a thousand per commit, by the statement of the module that remembers them; the
// entries that they refer to do not exist. The options are JSON in the first argument.
import { createHash } from 'node:crypto';
import { insertDeliveries } from '../../packages/server/src/modules/ingestion/queries.ts';
import { caller, open } from './open.mjs';
import { progress } from './progress.mjs';

const { deliveries, ...place } = JSON.parse(process.argv[2]);
const awake = setInterval(() => {}, 1000);
const app = await open(place);
const BATCH = 1000;
/** They came within the last three weeks, and are still remembered. */
const PERIOD_MS = 21 * 86_400_000;
const started = Date.now() - PERIOD_MS;

/** As random as the ids of senders. */
const idOf = (n) => `Ev${createHash('sha256').update(String(n)).digest('hex').slice(0, 10).toUpperCase()}${n % 10}`;

function deliveryOf(n) {
  const received_at = started + Math.floor((n * PERIOD_MS) / deliveries);
  return {
    account_id: caller.account_id,
    sender: 'webhook/slack',
    realm: '',
    delivery_id: idOf(n),
    no: n + 1,
    event_type: 'message',
    entity_path: `comms/slack/C0BENCH${n % 40}`,
    key: `thread-${Math.floor(received_at / 1000)}.${String(n % 1_000_000).padStart(6, '0')}`,
    version: 1,
    status: 'written',
    occurred_at: received_at,
    received_at,
  };
}

const report = progress(deliveries);
for (let from = 0; from < deliveries; from += BATCH) {
  const rows = Array.from({ length: Math.min(BATCH, deliveries - from) }, (_, i) => deliveryOf(from + i));
  await app.kernel.work(caller, 'fill', async (work) => {
    await work.tx.insertMany(insertDeliveries, rows);
    return {};
  });
  report(from + BATCH);
}
const { per_s } = report(deliveries);
await app.close();
clearInterval(awake);
process.stdout.write(JSON.stringify({ per_s, how: 'deliveries/s in commits of 1,000' }));

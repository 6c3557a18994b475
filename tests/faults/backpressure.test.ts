import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { HttpClient, type Reply } from './support/client.ts';
import { holdWrites } from './support/hold-writes.ts';
import { until } from './support/mem-process.ts';
import { listenTo, openKernel } from './support/open-kernel.ts';

const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries([201, 503].map((status) => [status, replies.filter((reply) => reply.status === status).length]));

/** Waits until so many of the requests are refused. */
async function refusals(sent: readonly Promise<Reply>[], count: number): Promise<void> {
  let refused = 0;
  for (const reply of sent)
    void reply.then(({ status }) => {
      if (status === 503) refused++;
    });
  await until(() => refused === count, { what: `${count} refusals` });
}

describe.each(backends)('more writes than can wait on %s', (backend) => {
  it('are refused with 503 for now; those that wait are carried out', async () => {
    const { kernel, place } = await openKernel(backend, { limits: { max_waiting_writes: 20 } });
    const client = new HttpClient(await listenTo(kernel), 200);
    const release = await holdWrites(place.options);
    const { batches } = kernel.usage;
    const first = client.write('a', 'first', 0);
    await until(() => kernel.usage.batches > batches, { what: 'the first write to be under way' });
    // On PostgreSQL it finds its account locked, twice, and then waits with those that follow.
    const before = backend === 'postgres' ? 1 : 0;
    await until(() => kernel.usage.batches >= batches + 2 * before && kernel.queued === before, { what: 'it to wait' });
    const sent = Array.from({ length: 100 }, (_, i) => client.write('a', `k${i}`, i));
    // Refused requests do not wait for the blocked ones.
    await refusals(sent, 80 + before);
    expect(kernel.queued).toBe(20);
    await release();
    const replies = await Promise.all(sent);
    expect(statuses(replies)).toEqual({ 201: 20 - before, 503: 80 + before });
    for (const reply of replies.filter(({ status }) => status === 503)) {
      expect(reply.json).toMatchObject({ code: 'unavailable', detail: 'too many writes are waiting' });
      expect(reply.headers['retry-after']).toBe('1');
    }
    expect((await first).status).toBe(201);
    expect(kernel.queued).toBe(0);
    expect((await client.write('a', 'after', 1)).status).toBe(201);
  });

  it('by their size are refused, too, but one always fits', async () => {
    const { kernel, place } = await openKernel(backend, { limits: { max_waiting_chars: 100_000 } });
    const client = new HttpClient(await listenTo(kernel), 200);
    const release = await holdWrites(place.options);
    const large = (key: string, size: number) => client.write('a', key, 'x'.repeat(size));
    const { batches } = kernel.usage;
    const first = large('first', 200_000);
    await until(() => kernel.usage.batches > batches, { what: 'the first write to be under way' });
    expect((await large('second', 10)).status).toBe(503);
    await release();
    expect((await first).status).toBe(201);
    const hold = await holdWrites(place.options);
    const sent = Array.from({ length: 20 }, (_, i) => large(`k${i}`, 10_000));
    await refusals(sent, 11);
    await hold();
    expect(statuses(await Promise.all(sent))).toEqual({ 201: 9, 503: 11 });
    expect((await large('last', 10_000)).status).toBe(201);
  });
});

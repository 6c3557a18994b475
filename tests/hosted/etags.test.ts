import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { get, type Hosted, openHosted, write } from '../support/hosted.ts';

describe.each(backends)('an ETag on %s', (backend) => {
  let hosted: Hosted;
  beforeAll(async () => {
    hosted = await openHosted(backend);
  });
  afterAll(() => hosted.close());

  // A browser keeps one answer per address and shows it again after a 304, whichever key asks.
  it.each(['', '?version=1'])('of one account is not that of another: %j', async (query) => {
    const [one, other] = [await hosted.newAccount(), await hosted.newAccount()];
    const read = get(`/api/v1/entries/checkout/payments/limit${query}`);
    await hosted.as(one.key, write('checkout/payments', 'limit', 'of one'));
    await hosted.as(other.key, write('checkout/payments', 'limit', 'of the other'));
    const { headers } = await hosted.as(one.key, read);
    const known = { 'if-none-match': headers.get('etag') as string };
    expect(await hosted.as(one.key, { ...read, headers: known })).toMatchObject({ status: 304 });
    const answer = await hosted.as(other.key, { ...read, headers: known });
    expect(answer).toMatchObject({ status: 200, json: { version: 1, value: 'of the other' } });
    expect(answer.headers.get('etag')).not.toBe(known['if-none-match']);
  });
});

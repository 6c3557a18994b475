import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { type Hosted, type NewAccount, openHosted, write } from '../support/hosted.ts';
import { bundle, program } from './page.ts';

/** A web server that is not ours, with a page that has the client in it. */
async function host(script: string): Promise<{ origin: string; close(): void }> {
  const page = '<!doctype html><link rel="icon" href="data:,"><script src="/script.js"></script>';
  const server = createServer(({ url }, response) => {
    const [type, text] = url === '/script.js' ? ['text/javascript', script] : ['text/html', page];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}

/** What the page has: `run` is the program, the rest comes with every browser. */
declare const run: (options: { url: string; apiKey: string; agentId: string; retries?: number }) => Promise<object>;

describe('the client in a browser, on a page of another origin', () => {
  const newPage = useBrowser();
  let service: Hosted;
  let account: NewAccount;
  let [own, foreign]: { origin: string; close(): void }[] = [];
  let client: { url: string; apiKey: string; agentId: string };
  beforeAll(async () => {
    const { text } = await bundle(program);
    [own, foreign] = [await host(text), await host(text)];
    service = await openHosted('sqlite', { http: { corsOrigins: [own.origin] } });
    account = await service.newAccount();
    // In another script, as names of agents may be: headers of browsers hold no such letters.
    client = { url: service.server.url, apiKey: account.key, agentId: 'agent/страница' };
  });
  afterAll(async () => {
    own?.close();
    foreign?.close();
    await service.close();
  });

  it('writes, reads, seals an outcome and follows the stream', async () => {
    const { page, complaints, asked } = await newPage();
    await page.goto(own?.origin as string);
    const result = await page.evaluate((options) => run(options), client);
    expect(result).toMatchObject({ keys: ['k', 'page'], refused: true, follows: false });
    const { traceId } = result as { traceId: string };
    const as = { account_id: account.account_id, agent_id: client.agentId };
    expect(await service.app.call('traces.read', { trace_id: traceId }, as)).toMatchObject({
      causal_entries: [{ key: 'k' }],
      total_llm_calls: 2,
    });
    expect(asked).toEqual(new Set([own?.origin, client.url]));
    // The console shows only the refusal that the program provokes.
    expect(complaints).toEqual([expect.stringContaining('409')]);
  });

  it('can read the headers of answers', async () => {
    await service.as(account.key, write('page', 'told'));
    const { page } = await newPage();
    await page.goto(own?.origin as string);
    const headers = await page.evaluate(async ({ url, apiKey }) => {
      const sent = { 'x-mem-api-key': apiKey, 'x-mem-agent-id': 'agent/page', 'if-none-match': '"0"' };
      const response = await fetch(`${url}/api/v1/entries/page/told`, { headers: sent });
      return Object.fromEntries(response.headers);
    }, client);
    const exposed = ['etag', 'x-request-id', 'x-mem-ops-limit', 'x-mem-ops-remaining'];
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(exposed));
  });

  it('is refused by the browser on a page of an origin that was not let in', async () => {
    const { page } = await newPage();
    await page.goto(foreign?.origin as string);
    const before = await service.app.call('stats.read', {}, { account_id: account.account_id });
    const refused = await page.evaluate(async (options) => {
      const known = await run({ ...options, retries: 0 }).catch(({ name, code, status }) => ({ name, code, status }));
      // This request needs no preflight: it arrives, and the browser hides its answer from the page.
      const plain = await fetch(`${options.url}/health`).catch(({ name }) => name);
      return { known, plain };
    }, client);
    expect(refused).toEqual({ known: { name: 'MemError', code: 'unavailable', status: 0 }, plain: 'TypeError' });
    const after = await service.app.call('stats.read', {}, { account_id: account.account_id });
    expect(after.last_seq).toBe(before.last_seq);
  });
});

import { createClient, isMemError, type MemError, type Methods } from '@mem-service/sdk/browser';
import { takeFirst } from './first-answers.ts';
import { readKey } from './key-store.ts';
import { DASHBOARD_AGENT, serviceUrl } from './service-url.ts';

export type { CallOptions, OperationName, Output, Request } from '@mem-service/sdk/browser';
export { DASHBOARD_AGENT, isMemError, type MemError, serviceUrl };

let made: { key: string; client: Methods } | undefined;

/** The client for the key of this tab. */
export function client(): Methods {
  const key = readKey();
  if (made?.key !== key) {
    const apiKey = key === '' ? undefined : key;
    const takeOrFetch: typeof fetch = (url, init) =>
      takeFirst(String(url), init?.method ?? 'GET', key) ?? fetch(url, init);
    const options = { url: serviceUrl(), apiKey, agentId: DASHBOARD_AGENT, fetch: takeOrFetch, retries: 1 };
    made = { key, client: createClient(options) };
  }
  return made.client;
}

export type PlainRequest = { method: string; url: string; body: string | undefined };

/** The request that a call would make, without making it. */
export async function requestOf(
  name: Parameters<Methods['callText']>[0],
  input: Record<string, unknown>,
): Promise<PlainRequest> {
  let request: PlainRequest | undefined;
  const seen: typeof fetch = async (url, init) => {
    request = { method: init?.method ?? 'GET', url: String(url), body: init?.body as string | undefined };
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  await createClient({ url: serviceUrl(), fetch: seen, retries: 0 }).callText(name, input);
  if (request === undefined) throw new Error(`${name} makes no request`);
  return request;
}

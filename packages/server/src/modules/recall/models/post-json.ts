import { ModelError } from './model-error.ts';

export type PostRequest = {
  url: string;
  key: string | null;
  body: unknown;
  timeoutMs: number;
  /** A longer answer is refused, and the rest of it not read. */
  maxBytes: number;
  /** Ends it early. */
  signal?: AbortSignal;
};

/** Of an answer that is an error, this much is read. */
const MAX_ERROR_BYTES = 4_096;
const MAX_SHOWN = 300;

/** Asks a server outside the service. Whatever it does, this ends in time, and with no more than so many bytes. */
export async function postJson({ url, key, body, timeoutMs, maxBytes, signal }: PostRequest): Promise<unknown> {
  const late = AbortSignal.timeout(timeoutMs);
  const secret = key ?? '';
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Another address would get the texts and the key.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([late, signal]) : late,
    });
    if (!response.ok) throw await errorOf(response, secret);
    return parse(await readText(response, maxBytes));
  } catch (error) {
    if (error instanceof ModelError) throw error;
    if (late.aborted) throw new ModelError('timeout', `no answer within ${timeoutMs} ms`);
    throw new ModelError('unreachable', causeOf(error));
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const { text, isWhole } = await readStart(response, maxBytes);
  if (!isWhole) throw new ModelError('bad_answer', `the answer has more than ${maxBytes} bytes`);
  return text;
}

async function readStart(response: Response, maxBytes: number): Promise<{ text: string; isWhole: boolean }> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) break;
    bytes += next.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      return { text: Buffer.concat(chunks).toString('utf8'), isWhole: false };
    }
    chunks.push(next.value);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isWhole: true };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError('bad_answer', 'the answer is not JSON');
  }
}

/** What the server says is for the operator's eyes, who checks the address by hand; the log has the status alone. */
async function errorOf(response: Response, secret: string): Promise<ModelError> {
  const { status } = response;
  const { text } = await readStart(response, MAX_ERROR_BYTES);
  const shown = (secret === '' ? text : text.replaceAll(secret, '…')).slice(0, MAX_SHOWN);
  const more = { server_text: shown, retryAfterMs: retryAfterOf(response.headers.get('retry-after')) };
  if (status >= 300 && status < 400)
    return new ModelError('refused', `it answers ${status}, and redirects are not followed`, more);
  if (status === 401 || status === 403) return new ModelError('refused', `it answers ${status}: see the key`, more);
  if (status === 404) return new ModelError('refused', 'it answers 404: see the address and the model', more);
  if (status === 408 || status === 429) return new ModelError('limited', `it answers ${status}`, more);
  if (status < 500) return new ModelError('refused', `it answers ${status}`, { ...more, isAboutTexts: true });
  return new ModelError('unreachable', `it answers ${status}`, more);
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** Seconds, or a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? inner ?? message;
}

import { connect } from 'node:net';
import { type HttpRoute, type OperationName, operationNames, operations } from '@mem-service/contract';

export type HttpRequest = { method: string; path: string; body?: string; headers?: Record<string, string> };
export type HttpAnswer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

/** Sends it over a real connection. What is not JSON comes back as an empty object. */
export async function send(url: string, { method, path, body, headers = {} }: HttpRequest): Promise<HttpAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  const text = await readText(response);
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

/** A stream has no end: how it begins is enough. */
async function readText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export type OperationAddress = { name: OperationName; route: HttpRoute };

/** Every address of every operation. */
export const allAddresses: OperationAddress[] = operationNames.flatMap((name) => {
  const { http } = operations[name];
  return [http, ...(http.aliases ?? [])].map((route) => ({ name, route }));
});

const isControl = ({ name }: OperationAddress) => operations[name].effect === 'control';

/** Every address of every operation that is done within an account. */
export const addresses = allAddresses.filter((address) => !isControl(address));
/** The addresses of operations for the operator. */
export const controlAddresses = allAddresses.filter(isControl);

export const labelled = (some: readonly OperationAddress[]): [label: string, address: OperationAddress][] =>
  some.map((address) => [`${address.route.method} ${address.route.path}`, address]);

export const takesBody = ({ method }: HttpRoute): boolean => method !== 'GET' && method !== 'DELETE';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The request that a client makes for an input at an address. */
export function requestFor({ name, route }: OperationAddress, input: Record<string, unknown>): HttpRequest {
  const rest = { ...input };
  const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const text = textOf(input[field]);
    delete rest[field];
    const parts = field === 'entity_path' ? text.split('/') : [text];
    return parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
  });
  if (operations[name].http.webhook) return { method: route.method, path, ...deliveryOf(rest) };
  if (takesBody(route)) return { method: route.method, path, body: JSON.stringify(rest) };
  const given = Object.entries(rest).map(([name, value]): [string, string] => [name, textOf(value)]);
  const query = new URLSearchParams(given).toString();
  return { method: route.method, path: query === '' ? path : `${path}?${query}` };
}

/** A delivery as its sender makes it; the connector of the tests reads its name from headers. */
const deliveryOf = ({ payload, id, event_type }: Record<string, unknown>) => ({
  body: JSON.stringify(payload ?? null),
  headers: {
    'x-event-id': encodeURIComponent(textOf(id).toWellFormed()).slice(0, 8000),
    'x-event-type': encodeURIComponent(textOf(event_type).toWellFormed()).slice(0, 200),
  },
});

/** Writes bytes to the socket as they are and gives back all that comes until the server hangs up. */
export function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

export function readRaw(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

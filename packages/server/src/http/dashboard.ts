import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Nothing inline, and nothing of another host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const INDEX = 'index.html';
/** By the name of its encoding, the end of the file that has it: the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

type EncodedFile = { type: string; etag: string; plain: Buffer; encoded: ReadonlyMap<string, Buffer> };

/** The built files: beside the bundle or, where only the sources are, in the folder of their package. */
export function dashboardFolder(): string | undefined {
  const places = ['./dashboard', '../../../dashboard/dist'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((place) => existsSync(join(place, INDEX)));
}

export type ShowIndex = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The static files of the dashboard. They hold nothing of what is stored: the page asks for that with the user's key. */
export function addDashboard(server: FastifyInstance, folder: string): { index: ShowIndex; urls: string[] } {
  // A build may replace them while the server runs, so that all are read at once.
  const read = new Map(namesIn(folder).map((name) => [name, readEncoded(folder, name)]));
  const showFile = async (name: string, request: FastifyRequest, reply: FastifyReply) =>
    show(await (read.get(name) as Promise<EncodedFile>), request, reply);
  const assets = [...read.keys()].filter((name) => name !== INDEX);
  for (const name of assets)
    server.get(`/dashboard/${name}`, (request, reply) =>
      // The name changes with the content.
      showFile(name, request, reply.header('cache-control', 'public, max-age=31536000, immutable')),
    );
  // Relative, so that they lead to the page below any path.
  server.get('/dashboard', (_request, reply) => reply.redirect('./'));
  server.get('/dashboard/', (_request, reply) => reply.redirect('../'));
  return {
    index: (request, reply) => showFile(INDEX, request, reply.header('cache-control', 'no-cache')),
    urls: ['/dashboard', '/dashboard/', ...assets.map((name) => `/dashboard/${name}`)],
  };
}

const namesIn = (folder: string): string[] => readdirSync(folder).filter((name) => extname(name) in TYPES);

function readEncoded(folder: string, name: string): Promise<EncodedFile> {
  const reading = (async (): Promise<EncodedFile> => {
    const plain = await readFile(join(folder, name));
    const forms = ENCODINGS.map(
      async ([encoding, end]) => [encoding, await readFile(join(folder, name + end))] as const,
    );
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    return { type: TYPES[extname(name)] as string, etag, plain, encoded: new Map(await Promise.all(forms)) };
  })();
  // The request that asks for it gets the error.
  reading.catch(() => {});
  return reading;
}

function show(file: EncodedFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { type, etag, plain, encoded } = file;
  const encoding = ENCODINGS.map(([name]) => name).find((name) => accepts(headers['accept-encoding'], name));
  reply.headers({ ...HEADERS, etag: encoding ? etag.replace(/"$/, `-${encoding}"`) : etag });
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(String(reply.getHeader('etag')))) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(type).send(encoding ? encoded.get(encoding) : plain);
}

/** Whether the header names the encoding, and not with a weight of 0. */
function accepts(header: string | string[] | undefined, encoding: string): boolean {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',');
  const found = parts.map((part) => part.trim().split(/\s*;\s*/)).find(([name]) => name === encoding);
  return found !== undefined && !found.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}

import { createHash, randomBytes } from 'node:crypto';
import { shapes } from '@mem-service/contract';
import * as z from 'zod';

/**
 * A session over HTTP, encoded in its own id, so that any server can read it, also after a restart. It grants nothing:
 * the key of each request decides what is allowed.
 */
export type SessionToken = { agent_id: string; session_id: string; client?: string | undefined };

const CHECK_CHARS = 12;
const MAX_CLIENT_CHARS = 128;

const checkOf = (body: string) =>
  createHash('sha256').update(`mem-mcp ${body}`).digest('base64url').slice(0, CHECK_CHARS);

export function newToken(agent_id: string, client?: string): string {
  const named = client === undefined ? {} : { client: client.slice(0, MAX_CLIENT_CHARS) };
  const token: SessionToken = { agent_id, session_id: `sess-${randomBytes(8).toString('hex')}`, ...named };
  const body = Buffer.from(JSON.stringify(token)).toString('base64url');
  return `${body}.${checkOf(body)}`;
}

const shape = z.strictObject({
  agent_id: shapes.agentId,
  session_id: shapes.sessionId,
  client: z.string().max(MAX_CLIENT_CHARS).optional(),
});

/** Undefined for a text that `newToken` did not make. */
export function readToken(text: string): SessionToken | undefined {
  const [body = '', check] = text.split('.', 2);
  if (check !== checkOf(body)) return undefined;
  try {
    return shape.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

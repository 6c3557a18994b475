import type { IncomingHttpHeaders } from 'node:http';
import { invalidInput, shapes } from '@mem-service/contract';
import type { Caller } from '../kernel/index.ts';
import type { Identity } from './auth.ts';

export type Incoming = { headers: IncomingHttpHeaders; ip: string; id: string; identity: Identity };

export function callerOf({ headers, ip, id, identity }: Incoming, defaultAgentId: string): Caller {
  return {
    ...identity,
    agent_id: label(headers, 'x-mem-agent-id', shapes.agentId) ?? defaultAgentId,
    session_id: label(headers, 'x-mem-session-id', shapes.sessionId) ?? null,
    address: ip,
    request_id: id,
    user: label(headers, 'x-mem-user', shapes.agentId),
    idempotency_key: idempotencyKey(headers['idempotency-key']),
  };
}

function label(headers: IncomingHttpHeaders, name: string, shape: typeof shapes.agentId): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string') return undefined;
  // Headers arrive as latin1; names in any script are sent as UTF-8.
  const parsed = shape.safeParse(Buffer.from(value, 'latin1').toString('utf8'));
  if (parsed.success) return parsed.data;
  throw invalidInput([{ path: `header ${name}`, message: parsed.error.issues[0]?.message ?? 'is not valid' }]);
}

function idempotencyKey(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)) return value;
  throw invalidInput([{ path: 'header idempotency-key', message: 'must be 1 to 256 visible ASCII characters' }]);
}

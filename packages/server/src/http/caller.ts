import type { IncomingHttpHeaders } from 'node:http';
import { invalidInput, shapes } from '@mem-service/contract';
import { type Caller, soleAgentOf } from '../kernel/index.ts';
import type { KeyIdentity } from './auth.ts';

export type RequestHead = { headers: IncomingHttpHeaders; ip: string; id: string; identity: KeyIdentity };

export function callerOf({ headers, ip, id, identity }: RequestHead, defaultAgentId: string): Caller {
  return {
    agent_id: agentId(headers, 'x-mem-agent-id') ?? soleAgentOf(identity.key) ?? defaultAgentId,
    session_id: sessionId(headers, 'x-mem-session-id') ?? null,
    branch: branchName(headers, 'x-mem-branch'),
    address: ip,
    request_id: id,
    user: agentId(headers, 'x-mem-user'),
    idempotency_key: idempotencyKey(headers['idempotency-key']),
    min_seq: minSeq(headers['x-mem-min-seq']),
    wants_seq: wantsSeq(headers['x-mem-want-seq']),
    seq: undefined,
    ...identity,
  };
}

const agentId = label(shapes.agentId);
const sessionId = label(shapes.sessionId);
const branchName = label(shapes.branch);
const MAX_KNOWN = 10_000;

/** Reads a name from a header. Cached, because the same few names recur. */
function label(shape: typeof shapes.agentId) {
  const known = new Map<string, string>();
  return (headers: IncomingHttpHeaders, header: string): string | undefined => {
    const value = headers[header];
    if (typeof value !== 'string') return undefined;
    const before = known.get(value);
    if (before !== undefined) return before;
    // Headers arrive as latin1; names in any script are sent as UTF-8.
    const parsed = shape.safeParse(Buffer.from(value, 'latin1').toString('utf8'));
    if (!parsed.success)
      throw invalidInput([{ path: `header ${header}`, message: parsed.error.issues[0]?.message ?? 'is not valid' }]);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(value, parsed.data);
    return parsed.data;
  };
}

function idempotencyKey(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)) return value;
  throw invalidInput([{ path: 'header idempotency-key', message: 'must be 1 to 256 visible ASCII characters' }]);
}

function minSeq(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw invalidInput([{ path: 'header x-mem-min-seq', message: 'must be a whole number of up to 15 digits' }]);
}

function wantsSeq(value: string | string[] | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw invalidInput([{ path: 'header x-mem-want-seq', message: 'must be true or false' }]);
}

import type { JsonObject } from '@mem-service/contract';
import { type OperationName, parseExact } from '@mem-service/contract';

export type { JsonObject } from '@mem-service/contract';

/** On whose behalf a tool is called. */
export type ToolCaller = { agent_id: string; session_id: string | null };

/** The memory service behind the tools: the store of this machine, or a server elsewhere. */
export type MemoryService = {
  mode: 'local' | 'remote';
  /** The answer as exact JSON text. Throws a Fault or a MemError. */
  call(name: OperationName, input: JsonObject, as: ToolCaller): Promise<string>;
  /** Tells what happens in the log; what is given back ends it. Throws as `call` does. */
  follow(input: JsonObject, as: ToolCaller, reader: LogReader): Promise<() => void>;
};

export type LogReader = {
  take(event: JsonObject): void;
  /** There will be no more; with what went wrong, unless somebody ended it. */
  end(error?: unknown): void;
};

/** Who the tools speak for, and how that changes. */
export type ToolIdentity = {
  caller(): ToolCaller;
  /** As the client named itself when it connected. */
  meet(client: string | undefined): void;
  about(): JsonObject;
  /** Undefined where the name comes with each request and cannot be changed by a tool. */
  change?: { set(name: string): IdentityChange; reset(): { previous: string }; file(): string };
};

/** What became of a change: it is refused while somebody else seems to work under the present name. */
export type IdentityChange =
  | { previous: string; isNew: boolean }
  | { busy: string; idleMs: number; coolDownMs: number };

/** One client's connection, or one request where there are no connections. */
export type McpSession = {
  service: MemoryService;
  identity: ToolIdentity;
  /** Where a call names none. */
  branch: string;
  /** For files that tools leave behind; undefined where the client could not open them. */
  folder: string | undefined;
  lastTraceId?: string;
};

export async function callService(session: McpSession, name: OperationName, input: JsonObject): Promise<JsonObject> {
  return parseExact(await session.service.call(name, input, session.identity.caller())) as JsonObject;
}

/** What is asked beside the work of the agent, and so is no part of its trace. */
const UNTRACED = 'sess-aside';

/** The same for what no model sees. */
export async function callServiceUntraced(
  session: McpSession,
  name: OperationName,
  input: JsonObject,
): Promise<JsonObject> {
  const { agent_id } = session.identity.caller();
  return parseExact(await session.service.call(name, input, { agent_id, session_id: UNTRACED })) as JsonObject;
}

/** The trace that is meant by `last`: what was sealed here, or else the newest of this agent. */
export async function traceIdOf(session: McpSession, given: unknown): Promise<unknown> {
  if (given !== 'last') return given;
  if (session.lastTraceId !== undefined) return session.lastTraceId;
  const { agent_id } = session.identity.caller();
  const { traces } = await callService(session, 'traces.list', { agent_id, limit: 1, branch: session.branch });
  return (traces as JsonObject[])[0]?.trace_id ?? given;
}

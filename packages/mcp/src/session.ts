import type { JsonObject } from '@mem-service/contract';
import { type LinesName, type OperationName, parseExact, roomShapes } from '@mem-service/contract';

export type { JsonObject } from '@mem-service/contract';

/** The agent and session that a tool is called for. */
export type ToolCaller = { agent_id: string; session_id: string | null };

/** The memory service behind the tools: the store of this machine, or a server, which may serve the tools itself. */
export type MemoryService = {
  mode: 'local' | 'remote';
  /** Returns the answer as exact JSON text. Throws a Fault or a MemError. */
  call(name: OperationName, input: JsonObject, as: ToolCaller): Promise<string>;
  /** The lines of an answer, unparsed; undefined where a client cannot take them. */
  lines?: (name: LinesName, input: JsonObject, as: ToolCaller) => AsyncIterable<string>;
  /** Passes events of the log to the reader. Returns a function that ends it. Throws as `call` does. */
  follow(input: JsonObject, as: ToolCaller, reader: LogReader): Promise<() => void>;
};

export type LogReader = {
  take(event: JsonObject): void;
  /** No more events follow. `error` is undefined if the reader or the service ended it normally. */
  end(error?: unknown): void;
};

/** The agent that the tools act for, and how to change it. */
export type ToolIdentity = {
  caller(): ToolCaller;
  /** Sets the name that the client gave when it connected. */
  meet(client: string | undefined): void;
  about(): JsonObject;
  /** What is stamped on the traces of its sessions. */
  metadata(): SessionMetadata;
  /** Undefined where the name comes with each request, so that a tool cannot change it. */
  change?: {
    set(name: string, details?: AgentDetails): IdentityChange;
    reset(): { previous: string };
    file(): string;
  };
};

/** What an agent says of itself besides its name. */
export type AgentDetails = {
  model?: string | undefined;
  client_name?: string | undefined;
  tools_available?: string[] | undefined;
};

export type SessionMetadata = AgentDetails & { source: 'mcp'; platform?: string };

/** The result of a change. It is refused while another conversation seems to use the current name. */
export type IdentityChange =
  | { previous: string; isNew: boolean }
  | { busy: string; idleMs: number; coolDownMs: number };

/** One client's connection, or one request where there are no connections. */
export type McpSession = {
  service: MemoryService;
  identity: ToolIdentity;
  /** The branch of calls that name none; undefined: the default of the key or the agent. */
  branch: string | undefined;
  /** Called before each call of a client, where calls are counted. Throws a Fault when there are too many. */
  admit?: (() => void) | undefined;
  /** Where tools write files; undefined if the client could not open them. */
  folder: string | undefined;
  lastTraceId?: string;
};

export async function callService(session: McpSession, name: OperationName, input: JsonObject): Promise<JsonObject> {
  return parseExact(await session.service.call(name, input, session.identity.caller())) as JsonObject;
}

/** The session of calls that are not the agent's own work, and so not part of its trace. */
const UNTRACED = 'sess-aside';

/** Calls the service for the client itself, outside of the agent's session. */
export async function callServiceUntraced(
  session: McpSession,
  name: OperationName,
  input: JsonObject,
): Promise<JsonObject> {
  const { agent_id } = session.identity.caller();
  return parseExact(await session.service.call(name, input, { agent_id, session_id: UNTRACED })) as JsonObject;
}

/** The branch of a call that names none. A room has no branches, so there it stays open. */
export function branchFor({ branch }: McpSession, named: readonly unknown[]): string | undefined {
  const isInRoom = named.some((path) => typeof path === 'string' && path.startsWith(roomShapes.ROOM_SIGN));
  return isInRoom ? undefined : branch;
}

/** Resolves `last`: the trace last sealed here, or else the newest one of this agent. */
export async function traceIdOf(session: McpSession, given: unknown): Promise<unknown> {
  if (given !== 'last') return given;
  if (session.lastTraceId !== undefined) return session.lastTraceId;
  const { agent_id } = session.identity.caller();
  const { traces } = await callService(session, 'traces.list', { agent_id, limit: 1, branch: session.branch });
  return (traces as JsonObject[])[0]?.trace_id ?? given;
}

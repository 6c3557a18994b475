import { type OperationName, parseExact } from '@mem-service/contract';

export type Json = Record<string, unknown>;

/** On whose behalf a tool is called. */
export type Who = { agent_id: string; session_id: string | null };

/** The memory service behind the tools: the store of this machine, or a server elsewhere. */
export type Service = {
  mode: 'local' | 'remote';
  /** The answer as exact JSON text. Throws a Fault or a MemError. */
  call(name: OperationName, input: Json, as: Who): Promise<string>;
  /** Tells what happens in the log; what is given back ends it. Throws as `call` does. */
  follow(input: Json, as: Who, reader: LogReader): Promise<() => void>;
};

export type LogReader = {
  take(event: Json): void;
  /** There will be no more; with what went wrong, unless somebody ended it. */
  end(error?: unknown): void;
};

/** Who the tools speak for, and how that changes. */
export type Identity = {
  who(): Who;
  /** As the client named itself when it connected. */
  meet(client: string | undefined): void;
  about(): Json;
  /** Undefined where the name comes with each request and cannot be changed by a tool. */
  change?: { set(name: string): Change; reset(): { previous: string }; file(): string };
};

/** What became of a change: it is refused while somebody else seems to work under the present name. */
export type Change = { previous: string; isNew: boolean } | { busy: string; idleMs: number; coolDownMs: number };

/** One client's connection, or one request where there are no connections. */
export type Session = {
  service: Service;
  identity: Identity;
  /** Where a call names none. */
  branch: string;
  /** For files that tools leave behind; undefined where the client could not open them. */
  folder: string | undefined;
  lastTraceId?: string;
};

export async function ask(session: Session, name: OperationName, input: Json): Promise<Json> {
  return parseExact(await session.service.call(name, input, session.identity.who())) as Json;
}

/** What is asked beside the work of the agent, and so is no part of its trace. */
const ASIDE = 'sess-aside';

/** The same for what no model sees. */
export async function askAside(session: Session, name: OperationName, input: Json): Promise<Json> {
  const { agent_id } = session.identity.who();
  return parseExact(await session.service.call(name, input, { agent_id, session_id: ASIDE })) as Json;
}

/** The trace that is meant by `last`: what was sealed here, or else the newest of this agent. */
export async function traceIdOf(session: Session, given: unknown): Promise<unknown> {
  if (given !== 'last') return given;
  if (session.lastTraceId !== undefined) return session.lastTraceId;
  const { agent_id } = session.identity.who();
  const { traces } = await ask(session, 'traces.list', { agent_id, limit: 1, branch: session.branch });
  return (traces as Json[])[0]?.trace_id ?? given;
}

import { createMcpHandler, type Server, type ServerEvent } from '@modelcontextprotocol/server';
import { slug } from './identity.ts';
import { problemOf } from './refusals.ts';
import { createMcpServer } from './server.ts';
import type { McpSession, MemoryService, ToolCaller, ToolIdentity } from './session.ts';
import { newToken, readToken } from './session-token.ts';
import { readLabel, SettingsError, toolsetOf } from './settings.ts';
import { toolsOf } from './toolsets.ts';
import { createWatch, type ResourceWatch, watchedResources } from './watch.ts';

/** A request whose key was checked. */
export type McpRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
  /** Whose key it came with; undefined where none is needed. */
  keyHolder: string | undefined;
  /** As its own headers say. */
  agentId: string | undefined;
  sessionId: string | undefined;
  defaultAgentId: string;
  /** Where a call names none. */
  branch: string | undefined;
  call: MemoryService['call'];
  follow: MemoryService['follow'];
  maxBodyBytes: number;
  onError: (error: unknown) => void;
};

const SESSION_HEADER = 'mcp-session-id';

/** Answers one request. Nothing is kept between two of them. */
export async function answerMcp(incoming: McpRequest): Promise<Response> {
  const asked = new URL(incoming.url).searchParams;
  try {
    const tools = toolsOf(toolsetOf(asked.get('toolset') ?? undefined)).filter((tool) => !tool.onlyNearby);
    const branch = readLabel('branch', asked.get('branch') ?? incoming.branch) ?? 'main';
    const { onError } = incoming;
    return await answerWith({ ...incoming, branch }, (session, watch) =>
      createMcpServer(session, { tools, onError, ...(watch ? { watch } : {}) }),
    );
  } catch (error) {
    if (error instanceof SettingsError) return refuse(400, -32602, error.message.replace('MEM_TOOLSET', 'toolset'));
    throw error;
  }
}

/** A server for one request. Without a watch, there is no way to tell its client of changes. */
export type MakeServer = (session: McpSession, watch?: Pick<ResourceWatch, 'add' | 'remove'>) => Server;

/** The protocol around whatever server is made. */
export async function answerWith(incoming: McpRequest, make: MakeServer): Promise<Response> {
  const { method, url, headers, body, maxBodyBytes, onError } = incoming;
  const sessionHeader = headers[SESSION_HEADER];
  const token = sessionHeader === undefined ? undefined : readToken(sessionHeader);
  if (sessionHeader !== undefined && !token) return refuse(404, -32001, 'Session not found');
  const message = parse(body);
  const session = sessionOf(incoming, identityOf(incoming, token));
  const changes = changesFor(session, (error) => {
    if (error !== undefined) onError(error);
    void handler.close();
  });
  const handler = createMcpHandler(({ era }) => make(session, era === 'modern' ? NO_WATCH : undefined), {
    onerror: onError,
    maxRequestBodySize: maxBodyBytes,
    bus: changes,
  });
  const unconfirmed = await changes.watch(watchedResources(message));
  if (unconfirmed !== undefined) return refuse(400, -32602, unconfirmed);
  const request = new Request(url, { method, headers: { ...headers }, ...(body ? { body } : {}) });
  const response = await handler.fetch(request, message === undefined ? {} : { parsedBody: message });
  changes.closeUnlessHeard();
  const client = clientThatConnects(message);
  if (client === undefined || !response.ok) return response;
  session.identity.meet(client);
  const named = new Headers(response.headers);
  named.set(SESSION_HEADER, newToken(session.identity.caller().agent_id));
  return new Response(response.body, { status: response.status, headers: named });
}

/** A client that listens says in one request what it wants to hear, and is told in the answer. */
const NO_WATCH = { add: async () => {}, remove() {} };

/** The changes of what a listening client names, followed before it is told that it is listened for. */
function changesFor(session: McpSession, end: (error?: unknown) => void) {
  const listeners = new Set<(event: ServerEvent) => void>();
  const onChange = (uri: string) => {
    for (const listener of listeners) listener({ kind: 'resource_updated', uri });
  };
  const watch = createWatch(session, { onChange, end });
  const closeUnlessConfirmed = () => {
    if (listeners.size === 0) watch.close();
  };
  return {
    /** Gives what is in the way. */
    async watch(uris: readonly string[]): Promise<string | undefined> {
      try {
        await Promise.all(uris.map((uri) => watch.add(uri)));
        return undefined;
      } catch (error) {
        const problem = problemOf(error);
        if (!problem) throw error;
        return problem.detail;
      }
    },
    publish() {},
    subscribe(listener: (event: ServerEvent) => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        closeUnlessConfirmed();
      };
    },
    closeUnlessHeard: closeUnlessConfirmed,
  };
}

function sessionOf({ call, follow, branch = 'main' }: McpRequest, identity: ToolIdentity): McpSession {
  return { service: { mode: 'local', call, follow }, identity, branch, folder: undefined };
}

/** The agent that a request names, or its session, or else the client by the name it gives itself. */
function identityOf(
  { keyHolder, agentId, sessionId, defaultAgentId }: McpRequest,
  token: ReturnType<typeof readToken>,
): ToolIdentity {
  let client: string | undefined;
  // What an agent keeps to itself is not for the same client with another key.
  const byClient = () => (keyHolder === undefined ? client : client && `${client}/${slug(keyHolder)}`);
  const who = (): ToolCaller => ({
    agent_id: agentId ?? token?.agent_id ?? byClient() ?? defaultAgentId,
    session_id: sessionId ?? token?.session_id ?? null,
  });
  return {
    caller: who,
    meet(name) {
      if (name !== undefined) client = slug(name);
    },
    about: () => ({
      effective_identity: who().agent_id,
      session_id: who().session_id,
      detected_identity: byClient() ?? defaultAgentId,
      platform: client ?? null,
      from: agentId !== undefined ? 'header X-MEM-Agent-Id' : token ? 'session' : client ? 'client' : 'default',
    }),
  };
}

function parse(body: Uint8Array | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(body));
  } catch {
    // The handler says what is wrong with it.
    return undefined;
  }
}

/** The name in a handshake. */
function clientThatConnects(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { clientInfo?: { name?: unknown } } };
  if (method !== 'initialize') return undefined;
  const name = params?.clientInfo?.name;
  return typeof name === 'string' ? name : 'client';
}

export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

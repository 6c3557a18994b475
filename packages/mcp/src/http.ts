import type { OperationName } from '@mem-service/contract';
import { createMcpHandler, type Server, type ServerEvent } from '@modelcontextprotocol/server';
import { parseMessage } from './exact-arguments.ts';
import { slug } from './identity.ts';
import { problemOf } from './refusals.ts';
import { createMcpServer } from './server.ts';
import type { McpSession, MemoryService, ToolCaller, ToolIdentity } from './session.ts';
import { newToken, readToken } from './session-token.ts';
import { readLabel, SettingsError, toolsetOf } from './settings.ts';
import { toolsOf } from './toolsets.ts';
import { createWatch, type ResourceWatch, watchedResources } from './watch.ts';

/** A request whose key has been checked. */
export type McpRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
  /** The text of a large body and what it holds, where it was read before. */
  read?: { text: string; parsed: unknown } | undefined;
  /** The holder of the key; undefined where no key is required. */
  keyHolder: string | undefined;
  /** From the request's headers. */
  agentId: string | undefined;
  sessionId: string | undefined;
  defaultAgentId: string;
  /** The default branch of its calls. */
  branch: string | undefined;
  call: MemoryService['call'];
  lines?: MemoryService['lines'];
  /** Counts each call after the first, which the request itself was counted for. Throws when there are too many. */
  countCall?: (() => void) | undefined;
  follow: MemoryService['follow'];
  /** Whether the module of an operation is installed. */
  serves(name: OperationName): boolean;
  maxBodyBytes: number;
  onError: (error: unknown) => void;
};

const SESSION_HEADER = 'mcp-session-id';

/** Answers one request. No state is kept between requests. */
export async function answerMcp(incoming: McpRequest): Promise<Response> {
  const asked = new URL(incoming.url).searchParams;
  try {
    const evaluates = incoming.serves('judges.list');
    const tools = toolsOf(toolsetOf(asked.get('toolset') ?? undefined), { evaluates }).filter(
      ({ onlyNearby, operation }) => !onlyNearby && (operation === undefined || incoming.serves(operation)),
    );
    const branch = readLabel('branch', asked.get('branch') ?? incoming.branch);
    const { onError } = incoming;
    return await answerWith({ ...incoming, branch }, (session, watch) =>
      createMcpServer(session, { tools, onError, ...(watch ? { watch } : {}) }),
    );
  } catch (error) {
    if (error instanceof SettingsError) return refuse(400, -32602, error.message.replace('MEM_TOOLSET', 'toolset'));
    throw error;
  }
}

/** Creates a server for one request. Without a watch, its client cannot be notified of changes. */
export type MakeServer = (session: McpSession, watch?: Pick<ResourceWatch, 'add' | 'remove'>) => Server;

/** Answers a request by the MCP protocol, with the server that `make` creates. */
export async function answerWith(incoming: McpRequest, make: MakeServer): Promise<Response> {
  const { method, url, headers, body, maxBodyBytes, onError } = incoming;
  const sessionHeader = headers[SESSION_HEADER];
  const token = sessionHeader === undefined ? undefined : readToken(sessionHeader);
  if (sessionHeader !== undefined && !token) return refuse(404, -32001, 'Session not found');
  const message = incoming.read ? parseMessage(incoming.read.text, incoming.read.parsed) : parse(body);
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
  changes.closeUnlessConfirmed();
  const client = clientThatConnects(message);
  if (client === undefined || !response.ok) return response;
  session.identity.meet(client);
  const named = new Headers(response.headers);
  named.set(SESSION_HEADER, newToken(session.identity.caller().agent_id, client));
  return new Response(response.body, { status: response.status, headers: named });
}

/** A client without a handshake subscribes in one request, and receives the notifications in its answer. */
const NO_WATCH = { add: async () => {}, remove() {} };

/**
 * Follows changes of the subscribed resources. It begins before the subscription is confirmed, so that none is missed.
 */
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
    /** Returns the reason of a refusal; undefined on success. */
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
    closeUnlessConfirmed,
  };
}

function sessionOf(incoming: McpRequest, identity: ToolIdentity): McpSession {
  const { call, lines, follow, countCall, branch } = incoming;
  let calls = 0;
  const admit = () => {
    if (++calls > 1) countCall?.();
  };
  const service: MemoryService = { mode: 'remote', call, follow, ...(lines ? { lines } : {}) };
  return { service, identity, branch, folder: undefined, admit };
}

/** The caller: the agent or session that the request names, else the client under its own name. */
function identityOf(
  { keyHolder, agentId, sessionId, defaultAgentId }: McpRequest,
  token: ReturnType<typeof readToken>,
): ToolIdentity {
  let client = token?.client && slug(token.client);
  let clientName = token?.client;
  // Private entries of an agent must not be visible to the same client with another key.
  const byClient = () => (keyHolder === undefined ? client : client && `${client}/${slug(keyHolder)}`);
  const who = (): ToolCaller => ({
    agent_id: agentId ?? token?.agent_id ?? byClient() ?? defaultAgentId,
    session_id: sessionId ?? token?.session_id ?? null,
  });
  return {
    caller: who,
    meet(name) {
      if (name === undefined) return;
      client = slug(name);
      clientName = name;
    },
    metadata: () => ({ source: 'mcp', ...(clientName === undefined ? {} : { client_name: clientName }) }),
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
    return parseMessage(new TextDecoder('utf8', { fatal: true }).decode(body));
  } catch {
    // The handler reports the syntax error.
    return undefined;
  }
}

/** The client's name from the `initialize` request. */
function clientThatConnects(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { clientInfo?: { name?: unknown } } };
  if (method !== 'initialize') return undefined;
  const name = params?.clientInfo?.name;
  return typeof name === 'string' ? name : 'client';
}

export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

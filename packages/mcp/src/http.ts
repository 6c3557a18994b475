import { createMcpHandler } from '@modelcontextprotocol/server';
import { slug } from './identity.ts';
import { createMcpServer } from './server.ts';
import type { Identity, Service, Session, Who } from './session.ts';
import { newToken, readToken } from './session-token.ts';
import { SettingsError, toolsetOf } from './settings.ts';
import { toolsOf } from './toolsets.ts';

/** A request whose key was checked. */
export type Incoming = {
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
  call: Service['call'];
  maxBodyBytes: number;
  onError: (error: unknown) => void;
};

const SESSION_HEADER = 'mcp-session-id';

/** Answers one request. Nothing is kept between two of them. */
export async function answerMcp(incoming: Incoming): Promise<Response> {
  const { method, url, headers, body, maxBodyBytes, onError } = incoming;
  const sessionHeader = headers[SESSION_HEADER];
  const token = sessionHeader === undefined ? undefined : readToken(sessionHeader);
  if (sessionHeader !== undefined && !token) return refuse(404, -32001, 'Session not found');
  const said = parse(body);
  const session = sessionOf(incoming, identityOf(incoming, token));
  const names = new URL(url).searchParams.get('toolset') ?? undefined;
  let tools: ReturnType<typeof toolsOf>;
  try {
    tools = toolsOf(toolsetOf(names)).filter((tool) => !tool.onlyNearby);
  } catch (error) {
    if (error instanceof SettingsError) return refuse(400, -32602, error.message.replace('MEM_TOOLSET', 'toolset'));
    throw error;
  }
  const handler = createMcpHandler(() => createMcpServer(session, { tools, onError }), {
    onerror: onError,
    maxRequestBodySize: maxBodyBytes,
  });
  const request = new Request(url, { method, headers: { ...headers }, ...(body ? { body } : {}) });
  const response = await handler.fetch(request, said === undefined ? {} : { parsedBody: said });
  const client = clientThatConnects(said);
  if (client === undefined || !response.ok) return response;
  session.identity.meet(client);
  const named = new Headers(response.headers);
  named.set(SESSION_HEADER, newToken(session.identity.who().agent_id));
  return new Response(response.body, { status: response.status, headers: named });
}

function sessionOf({ call }: Incoming, identity: Identity): Session {
  return { service: { mode: 'local', call }, identity, branch: 'main', folder: undefined };
}

/** The agent that a request names, or its session, or else the client by the name it gives itself. */
function identityOf(
  { keyHolder, agentId, sessionId, defaultAgentId }: Incoming,
  token: ReturnType<typeof readToken>,
): Identity {
  let client: string | undefined;
  // What an agent keeps to itself is not for the same client with another key.
  const byClient = () => (keyHolder === undefined ? client : client && `${client}/${slug(keyHolder)}`);
  const who = (): Who => ({
    agent_id: agentId ?? token?.agent_id ?? byClient() ?? defaultAgentId,
    session_id: sessionId ?? token?.session_id ?? null,
  });
  return {
    who,
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
function clientThatConnects(said: unknown): string | undefined {
  const { method, params } = (said ?? {}) as { method?: unknown; params?: { clientInfo?: { name?: unknown } } };
  if (method !== 'initialize') return undefined;
  const name = params?.clientInfo?.name;
  return typeof name === 'string' ? name : 'client';
}

export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

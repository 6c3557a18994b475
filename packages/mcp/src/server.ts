import {
  CLIENT_INFO_META_KEY,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import manifest from '../package.json' with { type: 'json' };
import { callTool, refusedBy } from './call-tool.ts';
import { complete } from './completions.ts';
import { exactArguments } from './exact-arguments.ts';
import { refusedWithoutHost } from './hosted-only.ts';
import { instructionsFor } from './instructions.ts';
import { getPrompt, listedPrompts } from './prompts.ts';
import { readResource, resources, resourceTemplates } from './resources.ts';
import type { McpSession } from './session.ts';
import type { Tool, ToolCallContext } from './tool.ts';
import { allTools } from './toolsets.ts';
import type { ResourceWatch } from './watch.ts';

export const SERVER_INFO = { name: 'mem', title: 'Memory', version: manifest.version };

export type ServerOffer = {
  tools: readonly Tool[];
  onError?: (error: unknown) => void;
  /** Lets clients subscribe to changes; undefined where notifications cannot be sent. */
  watch?: Pick<ResourceWatch, 'add' | 'remove'>;
};

/** A server for one connection. Tools are created once and shared by all connections. */
export function createMcpServer(session: McpSession, offer: ServerOffer): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: {
      tools: {},
      resources: offer.watch ? { subscribe: true } : {},
      prompts: {},
      completions: {},
      logging: {},
    },
    instructions: instructionsFor(offer.tools),
  });
  // The client must have a name before its first call.
  const sessionFor = (ctx: ServerContext): McpSession => {
    session.identity.meet(clientOf(server, ctx));
    return session;
  };
  addTools(server, sessionFor, offer);
  addResources(server, sessionFor, offer);
  server.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
  server.setRequestHandler('completion/complete', ({ params }, ctx) => {
    requireAdmission(session);
    return complete(params, sessionFor(ctx));
  });
  return server;
}

type SessionFor = (ctx: ServerContext) => McpSession;

function requireAdmission(session: McpSession): void {
  const problem = refusedBy(session);
  if (!problem) return;
  const { code, detail, retry_after } = problem;
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, detail, { code, retry_after });
}

function addTools(server: Server, sessionFor: SessionFor, offer: ServerOffer): void {
  const tools = new Map(offer.tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler('tools/list', () => ({ tools: offer.tools.map((tool) => tool.listed() as McpTool) }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools.get(params.name) ?? refusingTool(params.name, sessionFor(ctx));
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, absence(params.name));
    const { onError = () => {} } = offer;
    const args = params.arguments ?? {};
    return callTool({ tool, args, session: sessionFor(ctx), context: contextOf(ctx), onError });
  });
}

/** What needs the hosted service says so, also where it is not listed because it could not work. */
const refusingTool = (name: string, { service }: McpSession): Tool | undefined =>
  allTools.find((tool) => tool.name === name && refusedWithoutHost(tool, service) !== undefined);

function absence(name: string): string {
  const set = allTools.find((tool) => tool.name === name)?.toolset;
  const elsewhere = set && `; it is in the toolset ${set}, which this client has not chosen (MEM_TOOLSET)`;
  return `there is no tool ${JSON.stringify(name)} here${elsewhere ?? ''}`;
}

function addResources(server: Server, sessionFor: SessionFor, { watch }: ServerOffer): void {
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const session = sessionFor(ctx);
    requireAdmission(session);
    return { contents: [{ uri, mimeType: 'application/json', text: await readResource(uri, session) }] };
  });
  if (!watch) return;
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, ctx) => {
    sessionFor(ctx);
    await watch.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watch.remove(uri);
    return {};
  });
}

function contextOf({ mcpReq }: ServerContext): ToolCallContext {
  const token = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    exact: exactArguments(mcpReq._meta),
    async progress(done, message) {
      if (token === undefined) return;
      const params = { progressToken: token, progress: done, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
    log: (data) => mcpReq.log('error', data, 'mem'),
  };
}

/** The client's own name, from the request or from the handshake. */
function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  return nameIn(mcpReq.envelope) ?? server.getClientVersion()?.name;
}

const nameIn = (meta: unknown) => (meta as Record<string, { name?: string }> | undefined)?.[CLIENT_INFO_META_KEY]?.name;

/** The client's own name in a message. */
export const clientWithin = (message: unknown): string | undefined =>
  nameIn((message as { params?: { _meta?: unknown } }).params?._meta);

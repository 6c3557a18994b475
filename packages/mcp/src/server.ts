import { stringify } from '@mem-service/contract';
import {
  CLIENT_INFO_META_KEY,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import manifest from '../package.json' with { type: 'json' };
import { instructions } from './instructions.ts';
import { getPrompt, listedPrompts } from './prompts.ts';
import { readResource, resources, resourceTemplates } from './resources.ts';
import type { Session } from './session.ts';
import type { Answer, Tool } from './tool.ts';

export const SERVER_INFO = { name: 'mem', title: 'Memory', version: manifest.version };

export type Offer = { tools: readonly Tool[]; onError?: (error: unknown) => void };

/** A server for one connection. The tools are made once and shared by all of them. */
export function createMcpServer(session: Session, offer: Offer): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
    instructions,
  });
  const tools = new Map(offer.tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler('tools/list', () => ({ tools: offer.tools.map((tool) => tool.listed() as McpTool) }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools.get(params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name)}`);
    session.identity.meet(clientOf(server, ctx));
    return toResult(await tool.run(params.arguments ?? {}, session).catch((error) => failure(error, offer)));
  });
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    session.identity.meet(clientOf(server, ctx));
    return { contents: [{ uri, mimeType: 'application/json', text: await readResource(uri, session) }] };
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
  return server;
}

/** As the client names itself: with each request, or when it connected. */
function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  const told = (mcpReq.envelope as Record<string, { name?: string }> | undefined)?.[CLIENT_INFO_META_KEY];
  return told?.name ?? server.getClientVersion()?.name;
}

function failure(error: unknown, { onError = () => {} }: Offer): Answer {
  onError(error);
  return { json: { error: 'the service failed', code: 'internal', hint: 'this is a bug: see the log' }, isError: true };
}

function toResult({ json, text = stringify(json), isError }: Answer) {
  // Numbers that JavaScript would change stand in the text as they are.
  const structuredContent = JSON.parse(text);
  return { content: [{ type: 'text' as const, text }], structuredContent, ...(isError ? { isError } : {}) };
}

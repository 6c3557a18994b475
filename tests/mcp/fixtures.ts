import { setTimeout as sleep } from 'node:timers/promises';
import { type CallToolResult, ResourceNotFoundError, Server, type ServerContext } from '@modelcontextprotocol/server';

/** One pixel, and as much of a sound. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'Resource within' },
});

type Fixture = (ctx: ServerContext) => Promise<CallToolResult['content']> | CallToolResult['content'];

const tools: Record<string, Fixture> = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [embedded('test://embedded-resource')],
  test_multiple_content_types: () => [text('Several'), image, embedded('test://mixed-content-resource')],
  async test_tool_with_logging({ mcpReq }) {
    for (const step of ['started', 'goes on', 'is done']) {
      await mcpReq.log('info', `It ${step}`);
      await sleep(50);
    }
    return [text('Logged')];
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await sleep(50);
    }
    return [text('Done')];
  },
  test_error_handling() {
    throw new Error('This tool intentionally returns an error for testing');
  },
  json_schema_2020_12_tool: () => [text('Taken')],
};

const schemas: Record<string, object> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

const argument = (name: string) => ({ name, description: `Argument ${name}`, required: true });
const prompts = [
  { name: 'test_simple_prompt', description: 'Without arguments' },
  { name: 'test_prompt_with_arguments', description: 'With two', arguments: [argument('arg1'), argument('arg2')] },
  { name: 'test_prompt_with_embedded_resource', description: 'With a resource', arguments: [argument('resourceUri')] },
  { name: 'test_prompt_with_image', description: 'With an image' },
];

/** What the suite calls by name, behind the transport of the service. */
export function fixtureServer(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `For the suite: ${name}`,
      inputSchema: { type: 'object' as const, ...schemas[name] },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name } }, ctx) => {
    try {
      return { content: (await tools[name]?.(ctx)) ?? [] };
    } catch (error) {
      return { isError: true, content: [text((error as Error).message)] };
    }
  });
  addResources(server);
  addPrompts(server);
  return server;
}

function addResources(server: Server): void {
  server.setRequestHandler('resources/list', () => ({
    resources: ['static-text', 'static-binary'].map((name) => ({ uri: `test://${name}`, name, description: name })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'By id' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    if (id) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }] };
    if (uri === 'test://static-text') return { contents: [{ uri, mimeType: 'text/plain', text: 'Static' }] };
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
    throw new ResourceNotFoundError(uri);
  });
}

function addPrompts(server: Server): void {
  const user = (content: ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>) => ({
    role: 'user' as const,
    content,
  });
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    if (name === 'test_prompt_with_image') return { messages: [user(image), user(text('See above'))] };
    if (name === 'test_prompt_with_embedded_resource')
      return { messages: [user(embedded(given.resourceUri ?? '')), user(text('See above'))] };
    return { messages: [user(text(`Prompt with ${Object.values(given).join(' and ')}`))] };
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris'], hasMore: false } }));
}

import { type OperationName, requestOf, serviceUrl } from './client.ts';
import { readKey } from './key-store.ts';
import { ownToolCall } from './own-tools.ts';
import { TOOLS } from './tools.ts';

/** A call as text that works where it is pasted. The key is never part of it. */
export type CopiedCall = { name: OperationName; input: Record<string, unknown> };

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export async function asCurl({ name, input }: CopiedCall): Promise<string> {
  const { method, url, body } = await requestOf(name, input);
  const parts = [method === 'GET' ? 'curl' : `curl -X ${method}`, quoted(url)];
  if (readKey() !== '') parts.push('-H "X-MEM-API-Key: $MEM_API_KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

/** Operations whose answer comes line by line. */
const STREAMS: Partial<Record<OperationName, string>> = {
  'transfer.export': 'mem.transfer.export',
  'investigations.run': 'mem.investigations.run',
};

function sdkLine({ name, input }: CopiedCall): string {
  const stream = STREAMS[name];
  return stream === undefined
    ? `console.log(await mem.call('${name}', ${JSON.stringify(input, null, 2)}));`
    : `for await (const record of ${stream}(${JSON.stringify(input)})) console.log(record);`;
}

export function asSdk(calls: readonly CopiedCall[]): string {
  const key = readKey() === '' ? '' : ', apiKey: process.env.MEM_API_KEY';
  return [
    "import { createClient } from '@mem-service/sdk';",
    '',
    `const mem = createClient({ url: '${serviceUrl()}'${key} });`,
    ...calls.map(sdkLine),
  ].join('\n');
}

/**
 * The message that an MCP client sends, as a command that sends it. It chooses the tool, since not all are there unasked.
 * Undefined where no tool does it.
 */
export function asMcp({ name, input }: CopiedCall): string | undefined {
  const same = TOOLS[name];
  const call = same === undefined ? ownToolCall(name, input) : { tool: same, given: input };
  if (call === undefined) return undefined;
  const { tool, given } = call;
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } };
  return [
    'curl',
    quoted(`${serviceUrl()}mcp?toolset=${tool}`),
    ...(readKey() === '' ? [] : ['-H "X-MEM-API-Key: $MEM_API_KEY"']),
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-d ${quoted(JSON.stringify(message, null, 2))}`,
  ].join(' \\\n  ');
}

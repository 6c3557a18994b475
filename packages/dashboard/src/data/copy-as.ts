import { type OperationName, requestOf, serviceUrl } from './client.ts';
import { readKey } from './key-store.ts';
import { TOOLS } from './tools.ts';

/** A call as text that works where it is pasted. The key is never part of it. */
export type CopiedCall = { name: OperationName; input: Record<string, unknown> };

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export async function asCurl({ name, input }: CopiedCall): Promise<string> {
  const { method, url, body } = await requestOf(name, input);
  const parts = [method === 'GET' ? 'curl' : `curl -X ${method}`, quoted(url)];
  if (readKey() !== '') parts.push('-H "X-Mem-Api-Key: $MEM_API_KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

export function asSdk({ name, input }: CopiedCall): string {
  const key = readKey() === '' ? '' : ', apiKey: process.env.MEM_API_KEY';
  return [
    "import { createClient } from '@mem-service/sdk';",
    '',
    `const mem = createClient({ url: '${serviceUrl()}'${key} });`,
    `const answer = await mem.call('${name}', ${JSON.stringify(input, null, 2)});`,
  ].join('\n');
}

/** Undefined where the operation is no tool. */
export function asMcp({ name, input }: CopiedCall): string | undefined {
  const tool = TOOLS[name];
  return tool && JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: input } }, null, 2);
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@mem-service/contract';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';

export type { JsonObject } from '@mem-service/contract';
export type ToolResult = { json: JsonObject; text: string; isError: boolean };

export type ConnectedClient = {
  client: Client;
  /** Of the server that was started for it. */
  pid?: number | null;
  call(name: string, args?: JsonObject): Promise<ToolResult>;
  close(): Promise<void>;
};

/** A home of its own, with a store below it. */
export function newHome(): Record<string, string> {
  const home = mkdtempSync(join(tmpdir(), 'mem-mcp-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { PATH: process.env.PATH ?? '', HOME: home, USER: 'ada', MEM_DATA_DIR: join(home, 'store') };
}

export function wrap(client: Client): ConnectedClient {
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content as { type: string; text: string }[];
      const text = first?.text ?? '';
      return { json: withNamedEntries(JSON.parse(text)), text, isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

/** The rows of a table as objects; the last cell may hold further members. */
export function withNamedEntries(json: JsonObject): JsonObject {
  const { columns, entries, ...rest } = json as { columns?: string[]; entries?: unknown[][] };
  if (!columns || !entries) return json;
  const named = entries.map((row) => ({
    ...Object.fromEntries(columns.map((name, at) => [name, row[at]])),
    ...(row[columns.length] as JsonObject | undefined),
  }));
  return { ...rest, entries: named };
}

export type McpConnectOptions = {
  name?: string;
  modern?: boolean;
  args?: readonly string[];
  onErr?: (text: string) => void;
};

/** In the protocol of before, or in the one that has no handshake. */
export async function open(name: string, transport: Transport, modern = false): Promise<ConnectedClient> {
  const options = modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {};
  const client = new Client({ name, version: '1.0.0' }, options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return wrap(client);
}

/** `mem mcp` as a client starts it, spoken to by the client of the protocol's authors. */
export async function connect(env: Record<string, string>, options: McpConnectOptions = {}): Promise<ConnectedClient> {
  const { name = 'test-client', args = [], onErr } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await memProgram(), 'mcp', ...args],
    env,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk) => onErr?.(String(chunk)));
  const opened = await open(name, transport, options.modern);
  return { ...opened, pid: transport.pid };
}

export async function runMem(args: readonly string[], env: Record<string, string>, input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [await memProgram(), ...args], {
    env,
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

// The least MCP server there is on the same SDK: one tool, standard input and output.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
// biome-ignore lint/correctness/noUndeclaredDependencies: a floor stands on the service's own dependencies
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'floor', version: '1' });
  const about = { description: 'Says it again.', inputSchema: z.object({ text: z.string() }) };
  server.registerTool('echo', about, async ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
});
process.stdin.once('end', () => process.exit(0));

// The least MCP server that keeps something, on the same SDK: one tool, one row, one commit, synced to disk as the
// service does it. It opens its database with the service's own settings.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
// biome-ignore lint/correctness/noUndeclaredDependencies: a floor stands on the service's own dependencies
import { z } from 'zod';
import { loadDriver, openConnection } from '../../packages/server/src/db/sqlite-connection.ts';

const folder = process.env.FLOOR_DATA_DIR;
mkdirSync(folder, { recursive: true });
const connection = await openConnection(await loadDriver(), join(folder, 'floor.db'), false);
connection.exec(`CREATE TABLE IF NOT EXISTS floor_entries (
  entity_path TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (entity_path, key)
) WITHOUT ROWID`);
const INSERT = 'INSERT INTO floor_entries (entity_path, key, value, written_at) VALUES (?, ?, ?, ?)';

function insert(drafts) {
  connection.exec('BEGIN IMMEDIATE');
  for (const { entity_path, key, value } of drafts)
    connection.statement(INSERT).run([entity_path, key, JSON.stringify(value), Date.now()]);
  connection.exec('COMMIT');
  return { content: [{ type: 'text', text: JSON.stringify({ inserted: drafts.length }) }] };
}

serveStdio(() => {
  const server = new McpServer({ name: 'floor', version: '1' });
  const draft = z.object({ entity_path: z.string(), key: z.string(), value: z.string() });
  const about = { description: 'Keeps one row.', inputSchema: draft };
  server.registerTool('write', about, async (given) => insert([given]));
  const aboutMany = { description: 'Keeps many rows.', inputSchema: z.object({ writes: z.array(draft) }) };
  server.registerTool('fill', aboutMany, async ({ writes }) => insert(writes));
  return server;
});
process.stdin.once('end', () => process.exit(0));

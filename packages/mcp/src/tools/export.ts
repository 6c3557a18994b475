import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shapes, stringify } from '@mem-service/contract';
import * as z from 'zod';
import { slug } from '../identity.ts';
import { ownTool } from '../own-tool.ts';
import { recordsOf, render } from '../rules/records.ts';
import { branchFor, callService, type JsonObject, type McpSession } from '../session.ts';
import { type ToolAnswer, type ToolCallContext, writeHints } from '../tool.ts';

const INLINE_CHARS = 20_000;

const NO_ENTRIES = 'nothing there: try entity_path with include_descendants; mem_list shows what is there';
const NO_RECORDS = 'no value has anything at row_path: leave it out, or name a list that is in them';

export const exportTool = ownTool({
  name: 'mem_export',
  toolset: 'core',
  description: 'Write the whole values at a path into a file on this machine.',
  input: {
    entity_path: shapes.pathGlob,
    include_descendants: shapes.includeDescendants,
    format: z.enum(['jsonl', 'json', 'csv']).default('jsonl'),
    row_path: z.string().min(1).max(512).optional(),
    inline_char_budget: z.int().min(0).max(200_000).default(INLINE_CHARS),
    branch: shapes.branch.optional(),
  },
  about: {
    entity_path: 'Path or glob',
    include_descendants: 'And what is below',
    format: 'Default jsonl',
    row_path: 'List in the value: a record each',
    inline_char_budget: 'Answer with records up to this',
  },
  annotations: writeHints,
  onlyNearby: true,
  async run(
    { entity_path, include_descendants, format, row_path, inline_char_budget, branch = '' },
    session,
    call,
  ): Promise<ToolAnswer | JsonObject> {
    if (session.folder === undefined) return { json: { error: 'there is no folder for it here' }, isError: true };
    const where = { entity_path, include_descendants, branch: branch || branchFor(session, [entity_path]) };
    const entries = await listAll(session, where, call);
    const records = entries.flatMap(({ value }) => recordsOf(value, row_path));
    const path = join(session.folder, 'exports', `${slug(entity_path)}-${randomBytes(4).toString('hex')}.${format}`);
    await mkdir(join(session.folder, 'exports'), { recursive: true });
    await writeFile(path, render(records, format), { mode: 0o600 });
    const inline_chars = stringify(records).length;
    return {
      path,
      format,
      entity_path,
      row_path: row_path ?? null,
      entry_count: entries.length,
      record_count: records.length,
      keys: entries.slice(0, 100).map(({ key }) => key),
      inline_chars,
      ...(inline_chars <= inline_char_budget ? { inline: records } : {}),
      ...(records.length === 0 ? { hint: entries.length === 0 ? NO_ENTRIES : NO_RECORDS } : {}),
    };
  },
});

async function listAll(session: McpSession, where: JsonObject, call: ToolCallContext): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let cursor: unknown;
  do {
    const page: JsonObject = await callService(session, 'entries.list', {
      ...where,
      limit: 1000,
      ...(cursor ? { cursor } : {}),
    });
    entries.push(...(page.entries as JsonObject[]));
    cursor = page.next_cursor;
    call.signal.throwIfAborted();
    await call.progress(entries.length, `${entries.length} entries read`);
  } while (cursor);
  return entries;
}

import { JsonText, shapes, trainingFormats } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { readHints } from '../tool.ts';

/** More of them would not leave a model room for anything else. */
const MAX_BYTES = 100_000;
const MORE = 'there are more: mem export-training writes all of them into a file';

export const trainingTool = ownTool({
  name: 'mem_export_training_data',
  toolset: 'tracing',
  description: 'Examples for training from sealed sessions, without secrets.',
  input: {
    format: z.enum(trainingFormats).default('sft'),
    entity_paths: z.array(shapes.pathGlob).max(20).optional(),
    agent_id: shapes.agentId.optional(),
    min_confidence: shapes.confidence.default(0.7),
    since: shapes.timestamp.optional(),
    until: shapes.timestamp.optional(),
    limit: z.int().min(1).max(1000).default(100),
    branch: shapes.branch.optional(),
  },
  about: {
    format: 'Default sft',
    entity_paths: 'What was read',
    agent_id: 'Only of this agent',
    min_confidence: 'Of entries, default 0.7',
    since: 'ISO time',
    until: 'ISO time',
  },
  annotations: readHints,
  async run({ entity_paths = [], limit, branch, ...asked }, session, call) {
    const { lines, mode } = session.service;
    if (!lines) return { json: { error: 'it is not offered here: set MEM_HTTP_URL', mode }, isError: true };
    const on = branch ?? session.branch;
    const examples = new Set<string>();
    let bytes = 0;
    let isCut = false;
    // A session that read at several paths is in the answer once.
    for (const entity_path of entity_paths.length === 0 ? [undefined] : entity_paths) {
      const input = { ...asked, ...(entity_path ? { entity_path } : {}), ...(on === undefined ? {} : { branch: on }) };
      for await (const line of lines('training.export', input, session.identity.caller())) {
        if (examples.has(line)) continue;
        bytes += Buffer.byteLength(line);
        isCut = examples.size === limit || bytes > MAX_BYTES;
        if (isCut) break;
        examples.add(line);
        call.signal.throwIfAborted();
        await call.progress(examples.size, `${examples.size} examples`);
      }
      if (isCut) break;
    }
    // A model is trained with them, so nothing of them is left out or rounded.
    const shown = [...examples].map((line) => new JsonText(line));
    const exported_at = new Date().toISOString();
    const hint = isCut ? { hint: MORE } : {};
    const json = { format: asked.format, num_examples: shown.length, examples: shown, exported_at, ...hint, mode };
    return { json, isTrimmed: true };
  },
});

import { build } from 'esbuild';
import { expect } from 'vitest';
import { root } from '../docs/markdown.ts';

/** Bundled as for a web page. */
export async function bundle(contents: string): Promise<{ text: string; inputs: string[] }> {
  const { outputFiles, metafile, warnings } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    platform: 'browser',
    conditions: ['source'],
    target: 'es2022',
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) };
}

/** What a page does with the client: a bit of everything. */
export const program = `
  import { createClient, activeSession, isMemError } from '@mem-service/sdk';
  import { instrumentOpenAI } from '@mem-service/sdk/openai';
  globalThis.run = async (options) => {
    const mem = createClient({ agentId: 'agent/page', ...options });
    const at = { entityPath: 'page', key: 'k' };
    await mem.entries.write({ ...at, value: 1 });
    const refusal = await mem.entries.write({ ...at, value: 2, ifVersion: 9 }).catch((error) => error);
    const session = mem.session();
    const model = { chat: { completions: { create: async () => ({ usage: { prompt_tokens: 1 } }) } } };
    await session.entries.read(at);
    await session.span('task', async (task) => {
      await task.span('step', () => {});
      const undo = instrumentOpenAI(model, session, { parent: task });
      await model.chat.completions.create({ model: 'm' });
      undo();
      instrumentOpenAI(model, session);
      await model.chat.completions.create({ model: 'n' });
    });
    const { traceId } = await session.commitOutcome({ outcomeRef: 'page', outcomeType: 'success' });
    const keys = [];
    for await (const { key } of mem.entries.list.all({ entityPath: 'page' })) keys.push(key);
    for await (const event of mem.stream({ after: 0, types: ['outcome'] })) { keys.push(event.outcomeRef); break; }
    return { traceId, keys, refused: isMemError(refusal, 'version_conflict'), follows: activeSession() !== undefined };
  };
`;

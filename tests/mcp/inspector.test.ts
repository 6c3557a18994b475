import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';
import { listen, openTestApp } from '../support/app.ts';
import { outputOf } from '../support/output.ts';
import { type JsonObject, newHome } from './support.ts';

const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/cli/build/cli.js';

type InspectorCall = (...args: string[]) => Promise<JsonObject>;

/** One request by the protocol authors' inspector, which starts the server each time. */
async function inspect(target: readonly string[], args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [INSPECTOR, '--cli', ...target, ...args], { env, timeout: 60_000 });
  const printed = outputOf(child);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`inspector ended with ${code}: ${printed.err}`);
  return JSON.parse(printed.out) as JsonObject;
}

async function overStdio(): Promise<InspectorCall> {
  const env = newHome();
  const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const target = [...settings, process.execPath, await memProgram(), 'mcp'];
  return (...args) => inspect(target, args, env);
}

async function overHttp(): Promise<InspectorCall> {
  const app = await openTestApp('sqlite');
  const server = await listen(app);
  onTestFinished(() => server.close().then(() => app.close()));
  const target = [`${server.url}/mcp`, '--transport', 'http'];
  return (...args) => inspect(target, args, newHome());
}

const names = (rows: unknown) => (rows as { name: string }[]).map(({ name }) => name);

const caller =
  (ask: InspectorCall) =>
  (name: string, ...args: string[]) =>
    ask('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]));

const answerOf = ({ content }: { content?: unknown }) => JSON.parse((content as { text: string }[])[0]?.text ?? '');

const LIMIT = ['entity_path=shop/cart', 'key=limit'];

describe.each([
  ['standard input and output', overStdio],
  ['HTTP', overHttp],
] as const)('the inspector over %s', (_, start) => {
  it('writes and reads', async () => {
    const call = caller(await start());
    await call('mem_write', ...LIMIT, 'value=at most 3', 'confidence=0.8', 'shared=true');
    const [read, wrong] = await Promise.all([call('mem_read', ...LIMIT), call('mem_read', 'entity_path=shop/cart')]);
    expect(answerOf(read)).toMatchObject({ value: 'at most 3', confidence: 0.8 });
    expect(wrong.isError).toBe(true);
    expect(answerOf(wrong)).toMatchObject({ errors: [{ path: 'key' }] });
  });
});

it('the inspector shows what there is', async () => {
  const ask = await overHttp();
  await caller(ask)('mem_write', ...LIMIT, 'value=at most 3');
  const list = (what: string) => ask('--method', `${what}/list`);
  const [tools, resources, templates, prompts] = await Promise.all(
    ['tools', 'resources', 'resources/templates', 'prompts'].map(list),
  );
  expect(names(tools?.tools)).toContain('mem_write');
  expect(names(resources?.resources)).toEqual(['briefing', 'entries', 'timeline', 'stats']);
  expect(names(templates?.resourceTemplates)).toEqual(['briefing of a subject', 'entry']);
  expect(names(prompts?.prompts)).toEqual(['start-task', 'finish-task', 'hand-over']);
  const [resource, prompt, level] = await Promise.all([
    ask('--method', 'resources/read', '--uri', 'mem://entries/shop/cart/limit'),
    ask('--method', 'prompts/get', '--prompt-name', 'start-task', '--prompt-args', 'task=ship it'),
    ask('--method', 'logging/setLevel', '--log-level', 'debug'),
  ]);
  const [content] = resource.contents as { text: string }[];
  expect(JSON.parse(content?.text ?? '')).toMatchObject({ value: 'at most 3' });
  expect(JSON.stringify(prompt.messages)).toContain('ship it');
  expect(level).toEqual({});
});

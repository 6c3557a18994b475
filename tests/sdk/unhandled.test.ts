import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../docs/markdown.ts';

/** Nothing listens at these addresses. */
const program = `
  import OpenAI from 'openai';
  import Anthropic from '@anthropic-ai/sdk';
  import { createClient } from '@mem-service/sdk';
  import { instrumentOpenAI } from '@mem-service/sdk/openai';
  import { instrumentAnthropic } from '@mem-service/sdk/anthropic';

  let unhandled = 0;
  process.on('unhandledRejection', () => unhandled++);
  const session = createClient({ url: 'http://127.0.0.1:1', retries: 0 }).session({ onError() {} });
  const away = { apiKey: 'k', baseURL: 'http://127.0.0.1:2', maxRetries: 0 };
  const [openai, anthropic] = [new OpenAI(away), new Anthropic(away)];
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] };
  const calls = [() => openai.chat.completions.create(body), () => anthropic.messages.create(body)];
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
  /** What comes by then, and in a while in which nothing more should. */
  const count = async (expected) => {
    for (let i = 0; i < 100 && unhandled < expected; i++) await pause();
    await pause();
    return unhandled;
  };
  const counts = [];
  for (const instrument of [() => {}, () => [instrumentOpenAI(openai, session), instrumentAnthropic(anthropic, session)]]) {
    instrument();
    unhandled = 0;
    for (const call of calls) void call();
    counts.push(await count(2));
    unhandled = 0;
    for (const call of calls) {
      await call().catch(() => {});
      await call().then(undefined, () => {});
      await call().withResponse().catch(() => {});
      await call().asResponse().catch(() => {});
      await call().finally(() => {}).catch(() => {});
    }
    counts.push(await count(0));
  }
  await session.close();
  console.log(JSON.stringify(counts));
`;

test('an unhandled error stays unhandled, and no other becomes so', async () => {
  const flags = ['--import', 'tsx', '--conditions=source', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program], { cwd: root });
  expect(JSON.parse(stdout)).toEqual([2, 0, 2, 0]);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProviders } from '../sdk/providers.ts';
import type { StandIn } from '../sdk/stand-in.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc } from './markdown.ts';

describe('the examples of docs/sdk.md', () => {
  const steps = stepsOf(blocksOf(readDoc('docs/sdk.md')));
  let app: TestApp;
  let server: TestServer;
  let providers: StandIn;
  let outputs: string[];

  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app);
    providers = await startProviders();
    const env = {
      OPENAI_API_KEY: 'sk-of-the-tests',
      OPENAI_BASE_URL: `${providers.url}/v1`,
      ANTHROPIC_API_KEY: 'sk-ant-of-the-tests',
      ANTHROPIC_BASE_URL: providers.url,
    };
    outputs = await runSteps(steps, { url: server.url, env });
  });
  afterAll(async () => {
    await providers?.close();
    await server?.close();
    await app?.close();
  });

  it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
    expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
  });
});

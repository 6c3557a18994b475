import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp } from '../support/app.ts';
import { openHosted } from '../support/hosted.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc } from './markdown.ts';

const HOSTED = 'Grant access';
const blocks = blocksOf(readDoc('docs/branching.md'));

describe.each(backends)('the examples of docs/branching.md on %s', (backend) => {
  const plain = stepsOf(blocks.filter(({ section }) => section !== HOSTED));
  const hosted = stepsOf(blocks.filter(({ section }) => section === HOSTED));
  const outputs = new Map<object, string>();
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const app = await openTestApp(backend);
    closing.push(() => app.close());
    const server = await listen(app);
    closing.push(() => server.close());
    const service = await openHosted(backend);
    closing.push(() => service.close());
    const { key } = await service.newAccount();
    const texts = [
      ...(await runSteps(plain, { url: server.url })),
      ...(await runSteps(hosted, { url: service.server.url, env: { MEM_API_KEY: key } })),
    ];
    for (const [i, step] of [...plain, ...hosted].entries()) outputs.set(step, texts[i] as string);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  it.each([...plain, ...hosted].map((step) => ({ title: titleOf(step), step })))('$title', ({ step }) => {
    expect(missingIn(outputs.get(step) ?? '', step.expected)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp } from '../support/app.ts';
import { openHosted } from '../support/hosted.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc } from './markdown.ts';

const SELF_HOSTED = 'Two agents of one account';
const blocks = blocksOf(readDoc('docs/rooms.md'));

describe.each(backends)('the examples of docs/rooms.md on %s', (backend) => {
  const hosted = stepsOf(blocks.filter(({ section }) => section !== SELF_HOSTED));
  const selfHosted = stepsOf(blocks.filter(({ section }) => section === SELF_HOSTED));
  const outputs = new Map<object, string>();
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const service = await openHosted(backend);
    closing.push(() => service.close());
    const [crew, guests] = [await service.newAccount({ name: 'Crew' }), await service.newAccount({ name: 'Guests' })];
    const env = { CREW_KEY: crew.key, GUEST_KEY: guests.key, GUEST_ACCOUNT: guests.account_id };
    const app = await openTestApp(backend);
    closing.push(() => app.close());
    const server = await listen(app);
    closing.push(() => server.close());
    const texts = [
      ...(await runSteps(hosted, { url: service.server.url, env })),
      ...(await runSteps(selfHosted, { url: server.url })),
    ];
    for (const [i, step] of [...hosted, ...selfHosted].entries()) outputs.set(step, texts[i] as string);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  it.each([...hosted, ...selfHosted].map((step) => ({ title: titleOf(step), step })))('$title', ({ step }) => {
    expect(missingIn(outputs.get(step) ?? '', step.expected)).toEqual([]);
  });
});

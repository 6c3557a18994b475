import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { type Hosted, openHosted } from '../support/hosted.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc } from './markdown.ts';

const variables = { MEM_CONNECTOR_GITHUB_SECRET: "It's a Secret to Everybody" };

describe('the examples of docs/hosted.md about webhooks', () => {
  const blocks = blocksOf(readDoc('docs/hosted.md'));
  const steps = stepsOf(
    blocks.filter(({ kind, section }) => kind !== 'console' && section === 'Addresses for webhooks'),
  );
  let service: Hosted;
  let outputs: string[];

  beforeAll(async () => {
    const config = { dataDir: 'none', connectorVariables: variables, maxValueBytes: 1024 * 1024 };
    service = await openHosted('sqlite', { app: { connectors: await installedConnectors(config) } });
    const { key } = await service.newAccount();
    outputs = await runSteps(steps, { url: service.server.url, env: { MEM_API_KEY: key, ...variables } });
  });
  afterAll(() => service?.close());

  it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
    expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostOf } from '../support/connectors.ts';
import { testConnector } from '../support/deliveries.ts';
import { type Hosted, openHosted } from '../support/hosted.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc } from './markdown.ts';

const SECRET = "It's a Secret to Everybody";

describe('the examples of docs/hosted.md about webhooks', () => {
  const steps = stepsOf(
    blocksOf(readDoc('docs/hosted.md')).filter(({ section }) => section === 'Addresses for webhooks'),
  );
  let service: Hosted;
  let outputs: string[];

  beforeAll(async () => {
    const github = testConnector({
      manifest: { name: 'github', event_types: ['push'] },
      webhook: { signature_header: 'X-Hub-Signature-256' },
      secrets: [SECRET],
      connector: {
        identify: (_, headers) => ({
          event_type: headers['x-github-event'] ?? '',
          id: headers['x-github-delivery'] ?? '',
        }),
      },
    });
    service = await openHosted('sqlite', { app: { connectors: hostOf(github) } });
    const { key } = await service.newAccount();
    const env = { MEM_API_KEY: key, MEM_CONNECTOR_GITHUB_SECRET: SECRET };
    outputs = await runSteps(steps, { url: service.server.url, env });
  });
  afterAll(() => service?.close());

  it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
    expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConnectorHost } from '../../packages/server/src/connectors/types.ts';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { newFolder } from './support.ts';

type SentPayload = { payload: unknown; headers: Record<string, string> };

const opened = (): Promise<ConnectorHost> =>
  installedConnectors({ dataDir: newFolder(), connectorVariables: {}, maxValueBytes: 1024 * 1024 });

const examples = createRequire(import.meta.url)('@octokit/webhooks-examples') as {
  name: string;
  examples: unknown[];
}[];
const fixtures = join(import.meta.dirname, 'fixtures');
const payloadsIn = (folder: string): SentPayload[] =>
  readdirSync(join(fixtures, folder), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ parentPath, name }) => ({
      payload: JSON.parse(readFileSync(join(parentPath, name), 'utf8')),
      headers: { 'x-github-event': name.split('__')[0] ?? '' },
    }));

describe('the built-in connectors', () => {
  it('have a manifest each, without faults', async () => {
    const host = await opened();
    expect([...host.connectors.keys()].sort()).toEqual(['github', 'jira', 'pagerduty', 'slack']);
    for (const [name, { manifest, source, secrets }] of host.connectors)
      expect({ name, source, secrets, of: manifest.name }).toEqual({ name, source: 'built-in', secrets: [], of: name });
  });

  const sent: Record<string, SentPayload[]> = {
    github: [
      ...payloadsIn('github'),
      ...examples.flatMap(({ name, examples: all }) =>
        all.map((payload) => ({ payload, headers: { 'x-github-event': name, 'x-github-delivery': 'd' } })),
      ),
    ],
    jira: payloadsIn('jira'),
    pagerduty: payloadsIn('pagerduty'),
    slack: readFileSync(join(fixtures, 'slack', 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ payload: JSON.parse(line).payload, headers: {} })),
  };

  it.each(Object.keys(sent))('return what others would have to return: %s', async (name) => {
    const connector = (await opened()).connectors.get(name);
    if (!connector) throw new Error(`there is no ${name}`);
    const all = sent[name] ?? [];
    expect(all.length).toBeGreaterThan(3);
    for (const { payload, headers } of all) {
      const delivery = { body: Buffer.from(JSON.stringify(payload)), headers };
      const { event_type, id } = await connector.identify(payload, delivery);
      const event = { event_type, id, payload, headers, received_at: '2026-01-01T00:00:00.000Z' };
      expect(await connector.transform([event]), event_type).toEqual([{ results: expect.any(Array) }]);
    }
  });
});

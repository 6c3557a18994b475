import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { GitHubConnector } from '../../packages/server/src/connectors/github/index.ts';
import type { ConnectorResult, EntryResult } from '../../packages/server/src/connectors/types.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads are what a sender sends
export type AnyPayload = any;

/** The published examples of GitHub's deliveries: each event with its payloads. */
export const examples: readonly { name: string; examples: AnyPayload[] }[] = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@octokit/webhooks-examples'), 'utf8'),
);

/** A copy of an example, for a test to change. */
export function example(name: string, action?: string, nth = 0): AnyPayload {
  const found = examples.find((one) => one.name === name)?.examples ?? [];
  const payload = found.filter((one) => action === undefined || one.action === action)[nth];
  if (payload === undefined) throw new Error(`no example of ${name} ${action ?? ''}`);
  return structuredClone(payload);
}

/** A delivery that was captured by another project; its notice is in the folder. */
export const fixture = (name: string): AnyPayload =>
  JSON.parse(readFileSync(new URL(`fixtures/github/${name}.json`, import.meta.url), 'utf8'));

const connector = new GitHubConnector();

export const transform = (event_type: string, payload: AnyPayload): readonly ConnectorResult[] =>
  connector.transform({ event_type, payload, headers: {}, id: 'delivery-1', received_at: '2026-01-01T00:00:00.000Z' });

/** The one thing that an event writes. */
export function written(event_type: string, payload: AnyPayload): EntryResult & { value: AnyPayload } {
  const results = transform(event_type, payload);
  const [result] = results;
  if (results.length !== 1 || result?.operation !== 'write') throw new Error(`${event_type} writes ${results.length}`);
  return result;
}

export const targets = (result: EntryResult, relation: string): string[] =>
  (result.links ?? []).filter((link) => link.relation === relation).map(({ to }) => to);

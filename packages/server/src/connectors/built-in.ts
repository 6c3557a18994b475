import { readFileSync } from 'node:fs';
import { GitHubConnector } from './github/index.ts';
import type { ConnectorClass } from './in-process.ts';
import { JiraConnector } from './jira/index.ts';
import { requireManifest } from './manifest.ts';
import { PagerDutyConnector } from './pagerduty/index.ts';
import { SlackConnector } from './slack/index.ts';
import type { Manifest } from './types.ts';

/** A connector of the service itself: its manifest is beside its class. */
export type BuiltIn = { manifest: URL; connector: ConnectorClass };

/** The connectors that come with the service. Nothing else of the server knows their names. */
export const builtIns: readonly BuiltIn[] = [
  { manifest: new URL('./github/connector.yaml', import.meta.url), connector: GitHubConnector },
  { manifest: new URL('./jira/connector.yaml', import.meta.url), connector: JiraConnector },
  { manifest: new URL('./pagerduty/connector.yaml', import.meta.url), connector: PagerDutyConnector },
  { manifest: new URL('./slack/connector.yaml', import.meta.url), connector: SlackConnector },
];

export const builtInManifest = ({ manifest }: BuiltIn): Manifest => requireManifest(readFileSync(manifest, 'utf8'));

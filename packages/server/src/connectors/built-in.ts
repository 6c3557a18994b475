import { existsSync, readFileSync } from 'node:fs';
import { GitHubConnector } from './github/index.ts';
import type { ConnectorClass } from './in-process.ts';
import { JiraConnector } from './jira/index.ts';
import { PagerDutyConnector } from './pagerduty/index.ts';
import { SlackConnector } from './slack/index.ts';
import type { Manifest } from './types.ts';

/** A connector of the service itself, and the folder with its manifest. */
export type BuiltIn = { folder: URL; connector: ConnectorClass };

/** The connectors that come with the service. Nothing else of the server knows their names. */
export const builtIns: readonly BuiltIn[] = [
  { folder: new URL('./github/', import.meta.url), connector: GitHubConnector },
  { folder: new URL('./jira/', import.meta.url), connector: JiraConnector },
  { folder: new URL('./pagerduty/', import.meta.url), connector: PagerDutyConnector },
  { folder: new URL('./slack/', import.meta.url), connector: SlackConnector },
];

/** The build leaves the manifest as JSON that it has checked, so that a start need not load a parser of YAML. */
export async function builtInManifest({ folder }: BuiltIn): Promise<Manifest> {
  const built = new URL('connector.json', folder);
  if (existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'));
  const { MANIFEST_FILE, requireManifest } = await import('./manifest.ts');
  return requireManifest(readFileSync(new URL(MANIFEST_FILE, folder), 'utf8'));
}

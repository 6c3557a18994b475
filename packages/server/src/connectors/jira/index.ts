import { createHash } from 'node:crypto';
import { objectOf, textOf } from '../members.ts';
import { rawResult } from '../raw-result.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent } from '../types.ts';
import { otherContext } from './contexts.ts';
import { type JiraEvent, readEvent } from './event.ts';
import { issueResults } from './issue.ts';
import { ROOT_PATH } from './names.ts';
import { sprintResult } from './sprint.ts';
import { versionResult } from './version.ts';

export class JiraConnector implements Connector {
  identify(payload: unknown, headers: Readonly<Record<string, string>>): Partial<DeliveryName> {
    const name: Partial<DeliveryName> = {};
    const { type } = readEvent(payload);
    if (type !== '') name.event_type = type;
    const id = textOf(headers['x-atlassian-webhook-identifier']) ?? hashInsteadOfId(payload);
    if (id !== undefined) name.id = id;
    return name;
  }

  transform(event: InboundEvent): readonly ConnectorResult[] {
    const read = readEvent(event.payload);
    const results = thingResults(read);
    return results.length > 0 ? results : [otherContext(read) ?? rawResult(event, ROOT_PATH)];
  }
}

/** A delivery without an id of its own is told apart by its body. The `id` of an issue alone would be taken for one. */
function hashInsteadOfId(payload: unknown): string | undefined {
  if (objectOf(payload).id === undefined) return undefined;
  try {
    return createHash('sha256').update(JSON.stringify(payload)).digest('hex');
  } catch {
    // Nested too deeply to be written out.
    return undefined;
  }
}

function thingResults(event: JiraEvent): ConnectorResult[] {
  const issue = issueResults(event);
  if (issue.length > 0) return issue;
  const thing = sprintResult(event) ?? versionResult(event);
  return thing ? [thing] : [];
}

import { objectOf } from '../members.ts';
import { cutText, TITLE_CHARACTERS } from '../text.ts';
import type { ContextResult } from '../types.ts';
import type { PagerDutyEvent } from './event.ts';
import { actionOf, nameOf, ROOT_PATH, servicePath } from './names.ts';

/** What changed at a service, a test event, and whatever is no incident. */
export function otherContext(event: PagerDutyEvent): ContextResult {
  const service = event.type.startsWith('service.') ? (event.data.service ?? event.data) : event.data.service;
  const named = nameOf(objectOf(service));
  const by = nameOf(event.agent);
  const what =
    event.type === 'pagey.ping' ? 'test event of PagerDuty' : `${named ?? 'PagerDuty'}: ${actionOf(event.type)}`;
  return {
    operation: 'record_context',
    label: cutText(event.type, 100),
    summary: cutText(by === undefined ? what : `${what} by ${by}`, TITLE_CHARACTERS),
    source: 'pagerduty',
    entity_path: servicePath(service) ?? ROOT_PATH,
  };
}

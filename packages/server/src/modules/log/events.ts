import type { Output } from '@mem-service/contract';
import { type LogEvent, toIso } from '../../kernel/index.ts';
import { detailsOf } from './rules.ts';

export function toEvent(event: LogEvent) {
  const { seq, event_type, agent_id, branch, entity_path, key, version } = event;
  const created_at = toIso(event.created_at);
  return { seq, event_type, agent_id, branch, entity_path, key, version, details: detailsOf(event), created_at };
}

/** An event as the stream sends it: with its details, where they add to the other members. */
export function toText(event: LogEvent): string {
  const { seq, event_type, agent_id, actor_agent_id, branch, entity_path, key, version } = event;
  const streamed: Output<'log.stream'> = {
    seq,
    event_type,
    agent_id,
    ...(actor_agent_id === null ? {} : { actor_agent_id }),
    branch,
    entity_path,
    key,
    version,
    created_at: toIso(event.created_at),
  };
  for (const [name, detail] of Object.entries(detailsOf(event))) streamed[name] ??= detail;
  return JSON.stringify(streamed);
}

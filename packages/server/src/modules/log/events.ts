import type { Output } from '@mem-service/contract';
import { type LogEvent, positionText, toIso } from '../../kernel/index.ts';
import { detailsOf } from './rules.ts';

export function toEvent(event: LogEvent) {
  const { entity_path, key, version } = event;
  const created_at = toIso(event.created_at);
  return { ...whoOf(event), entity_path, key, version, details: detailsOf(event), created_at };
}

/** The actor is named where it is not the agent on whose timeline the event is. */
function whoOf({ seq, stamp, event_type, agent_id, actor_agent_id, branch }: LogEvent) {
  return {
    seq,
    position: positionText({ seq, stamp }),
    event_type,
    agent_id,
    ...(actor_agent_id === null ? {} : { actor_agent_id }),
    branch,
  };
}

/** An event as the stream sends it: with its details, where they add to the other members. */
export function toText(event: LogEvent): string {
  const { entity_path, key, version } = event;
  const streamed: Output<'log.stream'> = {
    ...whoOf(event),
    entity_path,
    key,
    version,
    created_at: toIso(event.created_at),
  };
  for (const [name, detail] of Object.entries(detailsOf(event))) streamed[name] ??= detail;
  return JSON.stringify(streamed);
}

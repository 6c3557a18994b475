import { EVERYONE, type Work } from '../../kernel/index.ts';
import type { VersionContent, VersionOrigin } from './rows.ts';

/**
 * `event_type` and `details` describe why a version was written, unless it was a plain write. `actor_agent_id` is an agent that
 * writes in the name of the author: it may also write what only the author may see.
 */
export type WriteReason = {
  event_type: string;
  details?: Record<string, unknown>;
  actor_agent_id?: string;
  /** A write that a protected branch takes: of a merge, or of the service itself. */
  despite_protection?: true;
};

type VersionEvent = { origin: VersionOrigin; reason: WriteReason; session: string | undefined };

/** Appends the event of a version to the log and returns its `seq`. */
export function emitVersion(work: Work, content: VersionContent, { origin, reason, session }: VersionEvent): number {
  const { confidence, memory_type } = content;
  const shared = content.shared === 1;
  return work.emit({
    event_type: reason.event_type,
    agent_id: origin.agent_id,
    branch: origin.branch,
    entity_path: origin.entity_path,
    key: origin.key,
    version: origin.version,
    visible_to: shared ? EVERYONE : origin.agent_id,
    details: { confidence, memory_type, shared, ...reason.details },
    session,
    actor_agent_id: reason.actor_agent_id,
  });
}

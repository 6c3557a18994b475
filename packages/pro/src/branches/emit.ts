import { type Caller, EVERYONE, sessionName, type Work } from '@mem-service/server/module';

type BranchEvent = {
  event_type: string;
  branch: string;
  details?: Record<string, unknown>;
  input: { agent_id?: string | undefined; session_id?: string | undefined };
  caller: Caller;
};

/** Appends to the log what happened to a branch. */
export function emitBranch(work: Work, { event_type, branch, details, input, caller }: BranchEvent): number {
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  return work.emit({
    event_type,
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { branch, ...details },
    session: sessionName(session_id, caller),
  });
}

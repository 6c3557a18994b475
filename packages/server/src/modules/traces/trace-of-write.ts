import { listEventsFrom, type ReadContext } from '../../kernel/index.ts';
import { getTraceOfSession } from './queries.ts';

/** The trace that the session of a write was sealed as; null where it is still open, or the caller may not see it. */
export async function findTraceOfWrite({ read, view }: ReadContext, seq: number): Promise<string | null> {
  const { account_id } = view;
  const [event] = await listEventsFrom(read, account_id, { from: seq, limit: 1 });
  if (event?.seq !== seq || event.session === '') return null;
  const { agent_id, session } = event;
  const found = await getTraceOfSession(read, view, { agent_id, session, after: seq });
  return found?.trace_id ?? null;
}

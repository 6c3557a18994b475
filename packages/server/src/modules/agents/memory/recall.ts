import { Fault } from '@mem-service/contract';
import {
  branchOf,
  EVERYONE,
  type Handlers,
  isNewestOfOneBranch,
  type ReadContext,
  type ReadNote,
  reads,
  sessionName,
} from '../../../kernel/index.ts';
import type { EntryAddress } from '../../entries/index.ts';
import { type AuthoredRow, fadedMember, getAuthored, toEntry, toVersion } from '../../entries/index.ts';

/** Returns the newest version by an agent that the caller may see. */
async function findAuthored(context: ReadContext, at: EntryAddress, author: string): Promise<AuthoredRow> {
  const { view, now, scan } = context;
  const { entity_path, key } = at;
  const row = await getAuthored(scan, view, { author, entity_path, key });
  if (row && row.deleted === 0 && (row.ttl_at === null || row.ttl_at > now)) return row;
  throw new Fault('not_found', `there is no version of ${entity_path}/${key} by ${author}`, { entity_path, key });
}

const isCurrent = (row: AuthoredRow) => row.version === row.current_version;

/** Shows the current version with its standing, or an older one as it was written. */
function show({ services, now }: ReadContext, row: AuthoredRow) {
  if (!isCurrent(row)) return toVersion(row);
  const standing = { ...row, confidence: row.current_confidence };
  return toEntry(standing, fadedMember(services, standing, now));
}

function seen({ elapsed, now, view }: ReadContext, { entity_path, key }: EntryAddress, row: AuthoredRow): ReadNote {
  const is_current = isCurrent(row);
  return {
    kind: 'read',
    at: now,
    entry_id: row.entry_id,
    version: row.version,
    branch: branchOf(view),
    entity_path,
    key,
    visible_to: row.shared === 1 ? EVERYONE : row.agent_id,
    written_by: row.agent_id,
    confidence: is_current ? row.current_confidence : row.confidence,
    standing: is_current ? row.standing : null,
    is_current: is_current && isNewestOfOneBranch(view),
    duration_ms: elapsed(),
  };
}

const recall = reads<'agents.recall'>(async (context, input) => {
  const row = await findAuthored(context, input, input.agent_id ?? context.caller.agent_id);
  context.note(seen(context, input, row));
  return show(context, row);
});

const readFrom = reads<'agents.read_from'>(async (context, input) => {
  const { caller, services } = context;
  const row = await findAuthored(context, input, input.source_agent_id);
  // The URL names the reader, as a body would.
  const reader = {
    agent_id: input.agent_id ?? caller.agent_id,
    session: sessionName(caller.session_id, caller),
  };
  services.noteBuffer.note(caller.account_id, reader, seen(context, input, row));
  return show(context, row);
});

export const recallHandlers: Handlers = { 'agents.recall': recall, 'agents.read_from': readFrom };

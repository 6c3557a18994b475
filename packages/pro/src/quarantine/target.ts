import {
  type EntryView,
  findEntriesIn,
  type Input,
  invalidInput,
  listEventsOf,
  listEventsOfSession,
  listSessionNames,
  mayAgentSee,
} from '@mem-service/server/module';
import { authorsOfSource } from '../rollback/draft-back.ts';
import { follow, type SearchReader, taintEventsOf } from './follow.ts';
import { Search } from './search.ts';

export type TraceTarget = Pick<
  Input<'quarantine.trace'>,
  'entity_path' | 'key' | 'version' | 'written_by' | 'source' | 'in_session' | 'depth'
>;

type Starting = { target: TraceTarget; view: EntryView; caller_agent: string };

/** Finds what was named and what rests on it. */
export async function searchFrom(reader: SearchReader, { target, view, caller_agent }: Starting): Promise<Search> {
  const search = new Search(reader);
  const kind = kindOf(target);
  if (kind === 'entry') await startWithEntry(search, target, view);
  else if (kind === 'session') await startWithSession(search, target, caller_agent);
  else
    for (const agent_id of target.source === undefined ? [target.written_by ?? ''] : authorsOfSource(target.source))
      await startWithAuthor(search, agent_id);
  await follow(search, target.depth);
  return search;
}

function kindOf({ entity_path, key, version, written_by, source, in_session }: TraceTarget) {
  const problem = (path: string, message: string) => invalidInput([{ path, message }]);
  const isEntry = entity_path !== undefined || key !== undefined || version !== undefined;
  if (isEntry && (entity_path === undefined || key === undefined))
    throw problem(entity_path === undefined ? 'entity_path' : 'key', 'is missing: an entry has a path and a key');
  const isSession = in_session !== undefined;
  const isAuthor = written_by !== undefined && !isSession;
  const given = [isEntry, isSession, isAuthor, source !== undefined].filter(Boolean).length;
  if (given !== 1) throw problem('entity_path', 'give one of: an entry, written_by, source, in_session');
  return isEntry ? 'entry' : isSession ? 'session' : 'author';
}

/** An entry that the caller may not see is as one that is not there. */
async function startWithEntry(search: Search, { entity_path = '', key = '', version }: TraceTarget, view: EntryView) {
  const [row] = await findEntriesIn(search.query, view, [{ entity_path, key }]);
  if (!row || !mayAgentSee(row, view.agent_id)) return;
  const { entry_id, branch } = row;
  search.taint({ branch, entity_path, key, entry_id, version, depth: 0 });
}

function startWithAuthor(search: Search, agent_id: string): Promise<void> {
  const { query, account_id } = search;
  const next = (after: number, limit: number) => listEventsOf(query, { account_id, agent_id, after, limit });
  return taintEventsOf(search, next, { after: 0, depth: 0 });
}

async function startWithSession(search: Search, { in_session = '', written_by }: TraceTarget, caller_agent: string) {
  const { query, account_id } = search;
  const agent_id = written_by ?? caller_agent;
  for (const session of await listSessionNames(query, { account_id, agent_id, session_id: in_session })) {
    const next = (after: number, limit: number) =>
      listEventsOfSession(query, { account_id, agent_id, session, after, limit });
    await taintEventsOf(search, next, { after: 0, depth: 0 });
  }
}

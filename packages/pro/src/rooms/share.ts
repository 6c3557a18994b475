import {
  type Caller,
  type EntryAddress,
  type EntryDraft,
  type EntryView,
  entityPathProblem,
  Fault,
  fromDocument,
  type Glob,
  invalidInput,
  MAIN_BRANCH,
  MAIN_LINEAGE,
  newScanBudget,
  parseGlob,
  pause,
  type RoomMember,
  readScope,
  roomShapes,
  type Services,
  secretsInEntry,
} from '@mem-service/server/module';
import * as queries from './topic-queries.ts';

const { MAX_SHARED_ENTRIES, MAX_SHARED_VERSIONS, MAX_SHARED_BYTES, MAX_VERSIONS_OF_SHARED } = roomShapes;

/** What a room gets of an account, read before the room is locked. */
export type Shared = {
  versions: SharedDraft[];
  /** Where the room has what is at the path now, also what was shared before. */
  places: EntryAddress[];
  left_out: number;
  shared_seq: number;
};
/** With the place in the log of its account. */
export type SharedDraft = { seq: number; draft: EntryDraft & { written_at: number } };

/** The place in a room below which the copies are, by the label of the account. */
export const TOPICS = 'topics';

/** Below it the copies are. */
export const topicPath = ({ room_id, label }: Pick<RoomMember, 'room_id' | 'label'>): string =>
  `${roomShapes.ROOM_SIGN}${room_id}/${TOPICS}/${label}`;

export function sharedGlob(entity_path: string): Glob {
  const glob = parseGlob(entity_path);
  const invalid = (message: string) => invalidInput([{ path: 'entity_path', message }]);
  if (!glob || glob.kind === 'all') throw invalid('must name a path: not everything is shared at once');
  if (entity_path.startsWith(roomShapes.ROOM_SIGN)) throw invalid('must be of your own account, not of a room');
  return glob;
}

/** What every agent of the account may see: nobody has the name without letters. */
function homeView({ database, clock }: Services, caller: Caller, home: string): EntryView {
  const { dialect } = database;
  return {
    ...{ account_id: home, lineage: MAIN_LINEAGE, agent_id: '', scope: readScope(caller) },
    ...{ at: clock.now(), dialect },
  };
}

const tooMuch = (): Fault =>
  new Fault('conflict', 'there is too much at this path to share it in one step: narrow it', {
    max_entries: MAX_SHARED_ENTRIES,
    max_versions: MAX_SHARED_VERSIONS,
    max_bytes: MAX_SHARED_BYTES,
  });

type SharedPart = { entity_path: string; after: number };

/**
 * Reads what an agent shares with a room that it has joined, as drafts of entries of the room. A refusal is returned: a retry of
 * what was shared has its answer, whatever is at the path by now.
 */
export async function readShared(
  services: Services,
  caller: Caller,
  { entity_path, after }: SharedPart,
): Promise<Shared | Fault> {
  const member = caller.room as RoomMember;
  const home = member.home_account_id;
  const view = homeView(services, caller, home);
  const { scan } = services.database.forAccount(home);
  const glob = sharedGlob(entity_path);
  const heads = await queries.listSharedHeads(scan, view, { glob, limit: MAX_SHARED_ENTRIES + 1 });
  if (heads.length === 0)
    return new Fault('not_found', 'there is nothing at this path that every agent of the account may see', {
      entity_path,
    });
  if (heads.length > MAX_SHARED_ENTRIES) return tooMuch();
  const found = await queries.listSharedVersions(scan, view, {
    ...{ heads, after, each: MAX_VERSIONS_OF_SHARED },
    ...{ limit: MAX_SHARED_VERSIONS + 1, bytes: MAX_SHARED_BYTES },
  });
  if (found.more || found.rows.length > MAX_SHARED_VERSIONS) return tooMuch();
  const into = topicPath(member);
  const places = heads.map(({ entity_path: path, key }) => ({
    ...{ branch: MAIN_BRANCH, entity_path: pathWithin(into, path), key },
  }));
  const shared: Shared = { versions: [], places, left_out: 0, shared_seq: after };
  for (const row of found.rows) {
    await pause();
    const draft = draftOf(row, into, caller.agent_id);
    if (secretsInEntry(draft.key, draft.value as string, newScanBudget())) shared.left_out++;
    else shared.versions.push({ seq: row.seq, draft });
    shared.shared_seq = row.seq;
  }
  return shared;
}

const pathWithin = (into: string, path: string): string => `${into}/${path}`;

/** In the name of the agent that shares it: who wrote it is a matter of its own account. */
function draftOf(row: queries.SharedVersion, into: string, agent_id: string): SharedDraft['draft'] {
  const { origin, value, confidence, memory_type, pattern_refs, artifact_refs, is_artifact, ttl_at } =
    fromDocument(row);
  const entity_path = pathWithin(into, origin.entity_path);
  const problem = entityPathProblem(entity_path);
  if (problem) throw invalidInput([{ path: 'entity_path', message: `gives a path in the room that ${problem}` }]);
  return {
    ...{ branch: MAIN_BRANCH, entity_path, key: origin.key, agent_id, session_id: null, shared: true },
    ...{ value, confidence, memory_type, pattern_refs, artifact_refs, ttl_at, is_artifact: is_artifact === 1 },
    written_at: origin.written_at,
  };
}

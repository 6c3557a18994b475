import {
  type Dialect,
  findEntriesByNumber,
  findNamedNumbers,
  findVersions,
  listEventsOf,
  listEventsOfSession,
  MAIN_BRANCH,
  pause,
  type Query,
  seqAt,
  type WrittenEvent,
} from '@mem-service/server/module';
import { listBranchNames } from '../branches/queries.ts';
import { MAX_BRANCHES } from './limits.ts';
import { findReaders } from './readers.ts';
import type { Search, TaintedSession } from './search.ts';
import type { Taint } from './taints.ts';

const EVENTS_AT_ONCE = 1000;
const NAMES_AT_ONCE = 500;
/** Sessions whose names begin so were not named by a caller; no index has them. */
const UNNAMED = '\u001f';

export type SearchReader = { query: Query; dialect: Dialect; account_id: string };

/** Follows what was found, step by step: who read it, what they wrote afterwards, who read that. */
export async function follow(search: Search, depth: number): Promise<void> {
  const branches = await otherBranches(search);
  for (let step = 0; ; step++) {
    const fresh = search.taints.takeFresh();
    await addCopies(search, fresh, branches);
    const all = [...fresh, ...search.taints.takeFresh()];
    if (all.length === 0) return;
    const sessions = await findReaders(search, all);
    if (step === depth) return;
    for (const session of sessions)
      if (search.isNewSession(session)) await taintWritesOf(search, { ...session, depth: step + 1 });
  }
}

/** The branches besides `main`; with none there are no copies. */
async function otherBranches(search: Search): Promise<string[]> {
  const names = await listBranchNames(search.query, search.account_id, MAX_BRANCHES + 1);
  if (names.length > MAX_BRANCHES) search.cut();
  return names.slice(0, MAX_BRANCHES);
}

/** What an agent wrote, from the first event after a `seq` on. */
export async function taintEventsOf(
  search: Search,
  next: (after: number, limit: number) => Promise<WrittenEvent[]>,
  { after, depth, isTaken }: { after: number; depth: number; isTaken?: (event: WrittenEvent) => boolean },
): Promise<void> {
  let from = after;
  for (;;) {
    const limit = Math.min(EVENTS_AT_ONCE, search.left);
    if (limit === 0) return;
    const events = await next(from, limit);
    search.looked(events.length);
    await search.taintWritten(isTaken ? events.filter(isTaken) : events, depth);
    const last = events.at(-1);
    if (!last || events.length < limit) return;
    from = last.seq;
    await pause();
  }
}

/** What a session wrote since it read something that was found. */
async function taintWritesOf(search: Search, { agent_id, session, since, depth }: TaintedSession): Promise<void> {
  const { query, account_id } = search;
  const of = { account_id, agent_id };
  const isTaken = (event: WrittenEvent) => event.session === session && event.created_at >= since;
  if (!session.startsWith(UNNAMED)) {
    const next = (after: number, limit: number) => listEventsOfSession(query, { ...of, session, after, limit });
    return taintEventsOf(search, next, { after: 0, depth, isTaken });
  }
  const next = (after: number, limit: number) => listEventsOf(query, { ...of, after, limit });
  const first = await seqAt(query, account_id, since);
  return taintEventsOf(search, next, { after: first - 1, depth, isTaken });
}

/** The same content of the same author under the same name on other branches: merged, or taken over with its evidence. */
async function addCopies(search: Search, fresh: readonly Taint[], branches: readonly string[]): Promise<void> {
  if (branches.length === 0) return;
  const { query, account_id } = search;
  const places = [MAIN_BRANCH, ...branches];
  const step = Math.max(1, Math.floor(NAMES_AT_ONCE / places.length));
  for (let at = 0; at < fresh.length; at += step) {
    if (search.left === 0) return;
    const some = await withHashes(search, fresh.slice(at, at + step));
    const asked = some.flatMap(({ taint, content_hash, agent_id }) =>
      places
        .filter((branch) => branch !== taint.branch)
        .map((branch) => ({ ...taint, branch, content_hash, agent_id })),
    );
    search.looked(asked.length);
    const numbers = await findNamedNumbers(query, account_id, asked);
    const known = asked.flatMap((one, i) => (numbers[i] ? [{ ...one, entry_id: numbers[i].entry_id }] : []));
    const heads = await findEntriesByNumber(query, account_id, known);
    for (const [i, one] of known.entries()) {
      const head = heads[i];
      if (head?.content_hash !== one.content_hash || head.agent_id !== one.agent_id) continue;
      const { branch, entity_path, key, entry_id, depth } = one;
      search.taint({ branch, entity_path, key, entry_id, version: head.version, depth });
    }
    await pause();
  }
}

type HashedTaint = { taint: Taint; content_hash: string; agent_id: string };

async function withHashes({ query, account_id }: Search, taints: readonly Taint[]): Promise<HashedTaint[]> {
  const heads = await findEntriesByNumber(query, account_id, taints);
  const numbers = taints.map(({ entry_id, version }, i) => ({ entry_id, version: version ?? heads[i]?.version ?? 0 }));
  const versions = await findVersions(query, account_id, numbers);
  return taints.flatMap((taint, i): HashedTaint[] => {
    const version = versions[i];
    return version ? [{ taint, content_hash: version.content_hash, agent_id: version.agent_id }] : [];
  });
}

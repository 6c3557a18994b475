import {
  entryNode,
  findEntriesByNumber,
  findOutcomes,
  findTraces,
  fromIso,
  listAsked,
  listLinesAbout,
  listOpenReads,
  listOpenSessions,
  listPartsAtPath,
  listReadersOf,
  listReadParts,
  pause,
} from '@mem-service/server/module';
import type { Search, TaintedSession } from './search.ts';
import type { Taint } from './taints.ts';

const ROWS_AT_ONCE = 1000;
const ENTRIES_AT_ONCE = 500;
/** Of entries whose lines are looked up in one statement, and lines of one of them, and of all. */
const JUDGED_AT_ONCE = 100;
const LINES_OF_ONE = 500;
const LINES_AT_ONCE = 5000;
/** A session has up to 1000 reads, and as many queries. */
const SESSIONS_AT_ONCE = 5;
const PARTS_AT_ONCE = 5000;
const SESSIONS_OF_ONE = 200;

/** When a sealed session or an outcome rested on something that was found, and how far that is from what was named. */
type Rested = Map<number, { since: number; depth: number }>;

function rest(rested: Rested, seq: number, { since, depth }: { since: number; depth: number }): void {
  const known = rested.get(seq);
  if (!known) rested.set(seq, { since, depth });
  else rested.set(seq, { since: Math.min(known.since, since), depth: Math.min(known.depth, depth) });
}

/** The sessions that have read one of these versions, sealed or open. Decisions among them are added to what was found. */
export async function findReaders(search: Search, fresh: readonly Taint[]): Promise<TaintedSession[]> {
  const rested: Rested = new Map();
  await addReadsAtPaths(search, fresh, rested);
  await addEvidence(search, fresh, rested);
  return [...(await sealedSessions(search, rested)), ...(await openSessions(search, fresh))];
}

/** Reads in traces, by the paths of the entries. */
async function addReadsAtPaths(search: Search, fresh: readonly Taint[], rested: Rested): Promise<void> {
  const paths = new Map<string, number>();
  for (const { entity_path, entry_id } of fresh)
    paths.set(entity_path, Math.min(entry_id, paths.get(entity_path) ?? entry_id));
  const { query, dialect, account_id } = search;
  for (const [entity_path, first] of paths) {
    // The number of an entry is the `seq` of its first version: nobody read it before.
    let after: [number, number] = [first, 0];
    for (;;) {
      const limit = Math.min(ROWS_AT_ONCE, search.left);
      if (limit === 0) return;
      const parts = await listPartsAtPath(query, dialect, { account_id, entity_path, after, limit });
      search.looked(parts.length);
      for (const { kind, seq, entry_id, version, read_at } of parts) {
        const taint = kind === 'read' && entry_id !== null ? search.taints.of(entry_id, version) : undefined;
        if (taint && read_at) rest(rested, seq, { since: fromIso(read_at), depth: taint.depth });
      }
      await pause();
      const last = parts.at(-1);
      if (!last || parts.length < limit) break;
      after = [last.seq, last.no];
    }
  }
}

/** Outcomes whose evidence is about the entries: reads that the ledger holds, and what was used of what was shown. */
async function addEvidence(search: Search, fresh: readonly Taint[], rested: Rested): Promise<void> {
  const ids = [...new Set(fresh.map(({ entry_id }) => entry_id))];
  const { query, dialect, account_id } = search;
  for (let at = 0; at < ids.length; at += JUDGED_AT_ONCE) {
    const most = Math.min(LINES_AT_ONCE, search.left);
    if (most === 0) return;
    const some = dialect.numbers(ids.slice(at, at + JUDGED_AT_ONCE));
    const lines = await listLinesAbout(query, account_id, { ids: some, each: LINES_OF_ONE, most });
    search.looked(lines.length);
    if (lines.length === most) search.cut();
    const found: Rested = new Map();
    const counts = new Map<number, number>();
    for (const { seq, entry_id, version } of lines) {
      counts.set(entry_id, (counts.get(entry_id) ?? 0) + 1);
      const taint = search.taints.of(entry_id, version);
      if (taint) rest(found, seq, { since: Number.POSITIVE_INFINITY, depth: taint.depth });
    }
    if ([...counts.values()].some((n) => n >= LINES_OF_ONE)) search.cut();
    await addTimes(search, found);
    for (const [seq, one] of found) rest(rested, seq, one);
    await pause();
  }
}

type ShownData = { version?: number; read_at?: string; shown?: number[]; occurred_at?: string };

/** When the sessions of these outcomes first saw what was found. */
async function addTimes(search: Search, found: Rested): Promise<void> {
  const { query, dialect, account_id, taints } = search;
  const all = [...found.keys()];
  for (let at = 0; at < all.length; at += SESSIONS_AT_ONCE) {
    const part = { account_id, seqs: dialect.numbers(all.slice(at, at + SESSIONS_AT_ONCE)), limit: PARTS_AT_ONCE };
    for (const { seq, entry_id, data } of await listReadParts(query, part)) {
      const { version, read_at } = JSON.parse(data) as ShownData;
      const taint = taints.of(entry_id, version ?? null);
      if (taint && read_at) rest(found, seq, { since: fromIso(read_at), depth: taint.depth });
      await pause();
    }
    for (const { seq, data } of await listAsked(query, part)) {
      const { shown = [], occurred_at } = JSON.parse(data) as ShownData;
      const taint = firstOf(shown, (entry_id, version) => taints.of(entry_id, version));
      if (taint && occurred_at) rest(found, seq, { since: fromIso(occurred_at), depth: taint.depth });
      await pause();
    }
  }
}

/** `shown` has a number and a version in turn. */
function firstOf<T>(shown: readonly number[], of: (entryId: number, version: number) => T | undefined): T | undefined {
  for (let at = 0; at + 1 < shown.length; at += 2) {
    const found = of(shown[at] as number, shown[at + 1] as number);
    if (found) return found;
  }
  return undefined;
}

async function sealedSessions(search: Search, rested: Rested): Promise<TaintedSession[]> {
  const { query, account_id } = search;
  const all = [...rested.keys()];
  const sessions: TaintedSession[] = [];
  for (let at = 0; at < all.length; at += ENTRIES_AT_ONCE) {
    const seqs = all.slice(at, at + ENTRIES_AT_ONCE);
    const [traces, outcomes] = await Promise.all([
      findTraces(query, account_id, seqs),
      findOutcomes(query, account_id, seqs),
    ]);
    for (const [i, seq] of seqs.entries()) {
      const { since, depth } = rested.get(seq) as { since: number; depth: number };
      const outcome = outcomes[i];
      const trace = traces[i];
      if (trace) search.decide({ ...trace, depth });
      else if (outcome) search.decide({ ...outcome, created_at: outcome.committed_at, depth });
      const ended = trace?.created_at ?? outcome?.committed_at ?? since;
      const session = trace ?? outcome;
      if (session)
        sessions.push({ agent_id: session.agent_id, session: session.session, since: Math.min(since, ended), depth });
    }
    await pause();
  }
  return sessions;
}

/** Sessions that are not sealed yet: the graph knows who has read the entries. */
async function openSessions(search: Search, fresh: readonly Taint[]): Promise<TaintedSession[]> {
  const { query, account_id } = search;
  const sessions: TaintedSession[] = [];
  for (const agent_id of await agentsAt(search, fresh)) {
    const open = await listOpenSessions(query, { account_id, agent_id, limit: SESSIONS_OF_ONE + 1 });
    if (open.length > SESSIONS_OF_ONE) search.cut();
    for (const key of open.slice(0, SESSIONS_OF_ONE)) {
      if (search.left === 0) return sessions;
      const reads = await listOpenReads(query, key);
      search.looked(reads.length);
      for (const { entry_id, version, read_at } of reads) {
        const taint = search.taints.of(entry_id, version);
        if (taint) sessions.push({ agent_id, session: key.session, since: read_at, depth: taint.depth });
      }
      await pause();
    }
  }
  return sessions;
}

/** Agents that have read the entries, and their authors, whose own reads the graph has later. */
async function agentsAt(search: Search, fresh: readonly Taint[]): Promise<Set<string>> {
  const { query, dialect, account_id } = search;
  const agents = new Set<string>();
  for (const branch of new Set(fresh.map((taint) => taint.branch))) {
    const ids = [...new Set(fresh.flatMap((taint) => (taint.branch === branch ? taint.entry_id : [])))];
    for (let at = 0; at < ids.length; at += ENTRIES_AT_ONCE) {
      const some = ids.slice(at, at + ENTRIES_AT_ONCE);
      const nodes = dialect.texts(some.map(entryNode));
      const readers = await listReadersOf(query, { account_id, branch, nodes, limit: ROWS_AT_ONCE + 1 });
      if (readers.length > ROWS_AT_ONCE) search.cut();
      for (const reader of readers) agents.add(reader);
      const heads = await findEntriesByNumber(
        query,
        account_id,
        some.map((entry_id) => ({ entry_id })),
      );
      for (const head of heads) if (head) agents.add(head.agent_id);
    }
  }
  return agents;
}

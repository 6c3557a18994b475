import type { Observation, SeenEntry, Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** A session that reads more than this has no causes to tell apart. */
const MAX_READS = 1000;

type Seen = SeenEntry & Observation;
export type Session = { row: queries.SessionRow; seen: readonly Observation[] };

/** What the sessions read, each version once, as far as they have room. */
export async function readsOf(work: Work, sessions: readonly Session[]): Promise<queries.ReadRow[]> {
  const wanted = sessions.map(({ row, seen }) => ({ row, reads: distinctReads(seen) }));
  const found = await work.tx.findMany(
    queries.findVersions,
    wanted.flatMap(({ row, reads }) => reads.map((one) => [row.account_id, one.entry_id, one.version])),
  );
  let at = 0;
  // What was erased since it was read is not to be named again.
  const there = wanted.map(({ row, reads }) => ({ row, reads: reads.filter(() => found[at++] !== undefined) }));
  const fitting = await Promise.all(there.map(({ row, reads }) => fit(work, row, reads)));
  return sessions.flatMap(({ row }, i) => (fitting[i] ?? []).map((one) => toRead(work, row, one)));
}

function distinctReads(seen: readonly Observation[]): Seen[] {
  const reads = new Map<string, Seen>();
  for (const one of seen) {
    if (one.kind !== 'read') continue;
    const name = `${one.entry_id}.${one.version}`;
    if (!reads.has(name)) reads.set(name, one);
  }
  return [...reads.values()];
}

/** What a session has read before takes no room. */
async function fit({ tx }: Work, row: queries.SessionRow, reads: readonly Seen[]): Promise<readonly Seen[]> {
  const room = MAX_READS - row.reads;
  if (reads.length <= room) return reads;
  const { account_id, agent_id, session, attempt } = row;
  const known = await tx.findMany(
    queries.findReads,
    reads.map(({ entry_id, version }) => [account_id, agent_id, session, entry_id, version, attempt]),
  );
  const unread = reads.filter((_, i) => known[i] === undefined);
  if (unread.length > room) row.truncated = 1;
  return unread.slice(0, Math.max(0, room));
}

function toRead(work: Work, row: queries.SessionRow, one: Seen): queries.ReadRow {
  const { account_id, agent_id, session, attempt } = row;
  return {
    account_id,
    agent_id,
    session,
    attempt,
    entry_id: one.entry_id,
    version: one.version,
    no: work.nextItem(),
    branch: one.branch,
    entity_path: one.entity_path,
    key: one.key,
    visible_to: one.visible_to,
    written_by: one.written_by,
    confidence: one.confidence,
    standing: one.standing,
    read_at: one.at,
    duration_ms: one.duration_ms,
  };
}

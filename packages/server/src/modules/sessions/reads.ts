import type { Query, Transaction } from '../../db/index.ts';
import { EVERYONE, isInScope, MAIN_BRANCH, type Scope } from '../../kernel/index.ts';
import { findEntriesByNumber, findVersions } from '../entries/offers.ts';
import * as queries from './queries.ts';
import { AGAIN, fromPage, numbersIn } from './rules/page.ts';

/** An entry as an open session read it. */
export type SessionReadRow = queries.SessionKey & {
  entry_id: number;
  version: number;
  attempt: number;
  /** The branch that it was read on. */
  branch: string;
  entity_path: string;
  key: string;
  visible_to: string;
  written_by: string;
  confidence: number;
  /** JSON of its standing when it was read; null where it had none. */
  standing: string | null;
  read_at: number;
  duration_ms: number;
};

/** Returns reads in order. Entries erased since then are left out. */
export async function loadReads(query: Query | Transaction, session: queries.SessionKey): Promise<SessionReadRow[]> {
  const pages = await queries.listPages(query, session);
  const noted = pages.filter(({ attempt }) => attempt !== AGAIN);
  const kept = noted.flatMap(({ attempt, branch, reads }) =>
    fromPage(reads).map((read) => ({ attempt, branch: branch ?? MAIN_BRANCH, ...read })),
  );
  if (kept.length === 0) return [];
  const { account_id, agent_id, session: name } = session;
  const [versions, entries] = await Promise.all([
    findVersions(query, account_id, kept),
    findEntriesByNumber(query, account_id, kept),
  ]);
  return kept.flatMap((read, i): SessionReadRow[] => {
    const [version, entry] = [versions[i], entries[i]];
    if (!version || !entry) return [];
    return [
      {
        account_id,
        agent_id,
        session: name,
        entry_id: read.entry_id,
        version: read.version,
        attempt: read.attempt,
        branch: read.branch,
        entity_path: entry.entity_path,
        key: entry.key,
        visible_to: version.shared === 1 ? EVERYONE : version.agent_id,
        written_by: version.agent_id,
        confidence: read.confidence,
        standing: read.standing && JSON.stringify(read.standing),
        read_at: read.read_at,
        duration_ms: read.duration_ms,
      },
    ];
  });
}

/** Counts the entries that an attempt of an open session has read. */
export async function countAttemptReads(
  tx: Transaction,
  key: queries.SessionKey,
  { attempt, scope }: { attempt: number; scope: Scope | undefined },
): Promise<number> {
  const reads = await loadReads(tx, key);
  const counted = reads.filter((read) => read.attempt === attempt && isInScope(scope, read.entity_path));
  return new Set(counted.map(({ entry_id }) => entry_id)).size;
}

/** The version of each entry that a session has read last, on the pages after one of them. */
export type NewestReads = { versions: Map<number, number>; last_page: number };

export async function newestReads(query: Query, key: queries.SessionKey, after: number): Promise<NewestReads> {
  const versions = new Map<number, number>();
  const pages = await queries.listPages(query, key, after);
  for (const page of pages)
    for (const [entry_id, version] of numbersIn(page.reads))
      versions.set(entry_id, Math.max(version, versions.get(entry_id) ?? 0));
  return { versions, last_page: pages.at(-1)?.no ?? after };
}

import { findEventSessions, type ReadContext, sessionIdOf, toIso, toIsoOrNull } from '../../kernel/index.ts';
import { fadedMember } from './effective.ts';
import type { EntryKeysRow } from './queries.ts';
import { type EntryAnswer, quarantinedMember, rendered } from './rows.ts';
import { standingText } from './standing.ts';
import { findCommits, listWrittenSessions } from './version-queries.ts';

export type EntryMeta = Omit<EntryAnswer, 'value' | 'artifact_refs'>;

/** Entries without their values, made from columns: no document is read. */
export async function toMeta(context: ReadContext, rows: readonly EntryKeysRow[]): Promise<EntryMeta[]> {
  const { scan, caller, services, now } = context;
  const { account_id } = caller;
  const [commits, sessions] = await Promise.all([
    scan.findMany<{ commit_id: string | null }>(
      findCommits,
      rows.map(({ entry_id, version }) => [account_id, entry_id, version]),
    ),
    sessionsOf(context, rows),
  ]);
  return rows.map((row, i) =>
    rendered<EntryMeta>(
      metaText(row, {
        session: quote(sessions[i] ?? null),
        commit: quote(commits[i]?.commit_id ?? null),
        faded: `${fadedMember(services, row, now)}${quarantinedMember(row)}`,
      }),
    ),
  );
}

const quote = JSON.stringify;

type MetaTexts = { session: string; commit: string; faded: string };

/** Built by hand, as documents are. */
function metaText(row: EntryKeysRow, { session, commit, faded }: MetaTexts): string {
  return (
    `{"entity_path":${quote(row.entity_path)},"key":${quote(row.key)},"branch":${quote(row.branch)}` +
    `,"version":${row.version},"memory_type":"${row.memory_type}","shared":${row.shared === 1}` +
    `,"provenance":{"agent_id":${quote(row.agent_id)},"session_id":${session},"written_at":"${toIso(row.written_at)}"` +
    `,"pattern_refs":${row.pattern_refs}},"ttl_at":${quote(toIsoOrNull(row.ttl_at))},"is_artifact":${row.is_artifact === 1}` +
    `,"content_hash":"${row.content_hash}","integrity_chain":"${row.integrity_chain}","commit_id":${commit}` +
    `,"seq":${row.seq},${standingText(row)},"recall_count":${row.recall_count}${faded}}`
  );
}

/** The sessions that versions were written in, from their events; those of old events are in the documents alone. */
async function sessionsOf({ scan, caller, dialect }: ReadContext, rows: readonly EntryKeysRow[]) {
  const { account_id } = caller;
  const events = await scan.findMany<{ session: string }>(
    findEventSessions,
    rows.map(({ seq }) => [account_id, seq]),
  );
  const unknown = rows.filter((_, i) => !events[i]?.session);
  const written = unknown.length === 0 ? [] : await listWrittenSessions(scan, dialect, { account_id, rows: unknown });
  const sessions = new Map(written.map(({ seq, session_id }) => [seq, session_id]));
  return rows.map(({ seq }, i): string | null => {
    const { session } = events[i] ?? {};
    return session ? sessionIdOf(session) : (sessions.get(seq) ?? null);
  });
}

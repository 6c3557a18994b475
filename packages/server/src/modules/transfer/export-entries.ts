import type { Database } from '../../db/index.ts';
import { type EntryView, type Lines, readSeq, toIso } from '../../kernel/index.ts';
import { countLiveEntries, type EntryRow, fromDocument, liveEntries } from '../entries/index.ts';
import { ENTRIES_FORMAT, FORMAT_VERSION } from './rules/format.ts';

/** A header, then the entries that a view shows, from one snapshot of the account. */
export async function* exportEntries(database: Database, view: EntryView, branch: string): Lines {
  const { account_id } = view;
  const snapshot = await database.snapshot(account_id);
  try {
    const seq = view.lineage[0]?.up_to_seq ?? (await readSeq(snapshot, account_id));
    const counts = { entry: await countLiveEntries(snapshot, view) };
    yield JSON.stringify({ record: 'header', format: ENTRIES_FORMAT, version: FORMAT_VERSION, branch, seq, counts });
    for await (const row of liveEntries(snapshot, view)) yield lineOf(row);
  } finally {
    await snapshot.close();
  }
}

/** An entry as `entries.import` takes it. Its value keeps its text, in which a line break is only space between members. */
function lineOf(row: EntryRow): string {
  const { origin, value, ttl_at, memory_type, shared, pattern_refs, artifact_refs } = fromDocument(row);
  const { entity_path, key, agent_id, session_id, written_at } = origin;
  const members = {
    ...{ entity_path, key, agent_id, session_id: session_id ?? undefined },
    ...{ written_at: toIso(written_at), ttl_at: ttl_at === null ? undefined : toIso(ttl_at) },
    ...{ confidence: row.confidence, memory_type, shared: shared === 1 },
  };
  const texts = { value, ...listed({ pattern_refs, artifact_refs }) };
  const raw = Object.entries(texts).map(([name, text]) => `,"${name}":${text.replace(/[\n\r]+/g, ' ')}`);
  return `{"record":"entry",${JSON.stringify(members).slice(1, -1)}${raw.join('')}}`;
}

const listed = (lists: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).filter(([, text]) => text !== '[]'));

import type { Glob } from '@mem-service/contract';
import type { FirstRows, Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import type { EntryRow } from './rows.ts';

const CHUNK = 500;
/** Few enough that other requests get their turn: a document is parsed. */
const CHUNK_BYTES = 1024 * 1024;

/** Yields every entry of the view that the globs cover, in chunks, ordered by path and key. */
export async function* liveEntries(query: Query, view: EntryView, paths?: readonly Glob[]): AsyncGenerator<EntryRow> {
  const page = { paths, limit: CHUNK, bytes: CHUNK_BYTES };
  let after: EntryRow | undefined;
  do {
    const { rows, more }: FirstRows<EntryRow> = await queries.listLiveEntries(query, view, { ...page, after });
    yield* rows;
    after = more || rows.length === CHUNK ? rows.at(-1) : undefined;
  } while (after);
}

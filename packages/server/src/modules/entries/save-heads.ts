import type { Insert } from '../../db/index.ts';
import type { EntryChange, Projection, Work } from '../../kernel/index.ts';
import { type EntryWithLineRow, upsertEntries, upsertEntriesWith } from './queries.ts';
import type { EntryRow } from './rows.ts';

export type HeadChange = EntryChange & { before: EntryWithLineRow | undefined; after: EntryRow };

/** Sends the heads, each with the columns that projections keep in it, in one statement. */
export async function saveHeads(work: Work, changes: readonly HeadChange[]): Promise<void> {
  const { engine } = work.dialect;
  const { projections } = work.services;
  const rows = changes.map(({ after }) => after);
  for (const { rowColumns } of projections) {
    if (rowColumns?.engine !== engine) continue;
    const values = await rowColumns.values(work, changes);
    rows.forEach((row, i) => {
      Object.assign(row, values[i]);
    });
  }
  work.send(work.tx.insertMany(upsertFor(projections, engine), rows));
}

const upserts = new WeakMap<readonly Projection[], Map<string, Insert>>();

/** Returns the same object each time, because statements derived from it are cached. */
function upsertFor(projections: readonly Projection[], engine: string): Insert {
  let known = upserts.get(projections);
  if (!known) {
    known = new Map();
    upserts.set(projections, known);
  }
  let upsert = known.get(engine);
  if (!upsert) {
    const own = projections.flatMap(({ rowColumns }) => (rowColumns?.engine === engine ? [rowColumns.types] : []));
    upsert = own.length === 0 ? upsertEntries : upsertEntriesWith(Object.assign({}, ...own) as Insert['columns']);
    known.set(engine, upsert);
  }
  return upsert;
}

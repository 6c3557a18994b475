import type { Find, Query } from '../../db/index.ts';
import { startWithin } from '../../kernel/index.ts';
import { findDocuments, type VersionNumber } from './by-number.ts';
import type { VersionRow } from './rows.ts';

/** How long the document of a version is, and what confidence it was written with. */
export type VersionSize = Pick<VersionRow, 'confidence'> & { document_bytes: number };

const versionSizes: Find = {
  table: 'versions',
  select: 'confidence, octet_length(document) AS document_bytes',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** Returns one result per number, in order; undefined where the version was erased. */
export function findVersionSizes(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(VersionSize | undefined)[]> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  return query.findMany<VersionSize>(versionSizes, keys);
}

/** Loads documents of known sizes in order, so many bytes of them at a time, or one that is longer. */
export async function* documentsInOrder(
  query: Query,
  accountId: string,
  { sized, bytes }: { sized: readonly (VersionNumber & { document_bytes: number })[]; bytes: number },
): AsyncGenerator<string | undefined, undefined, undefined> {
  for (let from = 0; from < sized.length; ) {
    const part = startWithin(sized.slice(from), bytes, ({ document_bytes }) => document_bytes);
    yield* await findDocuments(query, accountId, part);
    from += part.length;
  }
}

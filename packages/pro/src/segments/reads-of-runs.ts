import {
  listVersionsBehind,
  listVersionsRead,
  pause,
  type ReadContext,
  readableRows,
  type VersionBehind,
  type VersionRead,
  viewerOf,
} from '@mem-service/server/module';

const RUNS_AT_ONCE = 100;
const PARTS_AT_ONCE = 2000;

type PartOfRun = { seq: number; no: number; branch: string };
type PartsAsked = { seqs: readonly number[]; after: readonly [seq: number, no: number]; limit: number };
type ListParts<T> = (asked: PartsAsked) => Promise<T[]>;

/** Of the first `done` runs, all parts that the caller may see; there may be too many of the others. */
export type PartsOfRuns<T> = { parts: T[]; done: number };

/** What some traces read, as far as the caller may see it, until there are so many reads of all. */
export function readsOfRuns(
  context: ReadContext,
  seqs: readonly number[],
  most: number,
): Promise<PartsOfRuns<VersionRead>> {
  const sight = { viewer: viewerOf(context), dialect: context.dialect };
  return partsOf(context, { seqs, most, list: (asked) => listVersionsRead(context.scan, sight, asked) });
}

/** What the outcomes of some traces rested on by the ledger, in the same way. */
export function causesOfRuns(
  context: ReadContext,
  seqs: readonly number[],
  most: number,
): Promise<PartsOfRuns<VersionBehind>> {
  const { scan, dialect } = context;
  const viewer = viewerOf(context);
  const list: ListParts<VersionBehind> = ({ seqs: some, ...page }) =>
    listVersionsBehind(scan, viewer, { seqs: dialect.numbers(some), ...page });
  return partsOf(context, { seqs, most, list });
}

type PartsWanted<T> = { seqs: readonly number[]; most: number; list: ListParts<T> };

async function partsOf<T extends PartOfRun>(
  context: ReadContext,
  { seqs, most, list }: PartsWanted<T>,
): Promise<PartsOfRuns<T>> {
  const parts: T[] = [];
  for (let at = 0; at < seqs.length; at += RUNS_AT_ONCE) {
    const some = seqs.slice(at, at + RUNS_AT_ONCE);
    for (let after: readonly [number, number] | undefined = [0, -1]; after !== undefined; ) {
      if (parts.length >= most) return { parts, done: at };
      const page: T[] = await list({ seqs: some, after, limit: PARTS_AT_ONCE });
      // A session may have read on other branches than the one of its outcome.
      parts.push(...(await readableRows(context, page)));
      const last = page.at(-1);
      after = last && page.length === PARTS_AT_ONCE ? [last.seq, last.no] : undefined;
      await pause();
    }
  }
  return { parts, done: seqs.length };
}

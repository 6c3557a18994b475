import { type Query, sql } from '../../db/index.ts';
import { type FileScope, rowsUpTo, tailAt } from './file-scope.ts';
import { rowidOf } from './indexing.ts';
import type { FilePlaces, NewestMatches, WantedMatches } from './match-syntax.ts';
import { matchTexts } from './matching-texts.ts';
import { countTerm } from './rules/rank.ts';

/** Newest matches at whatever paths that are looked up, before all entries at the paths of the search are read instead. */
const MAX_LOOKED_AT = 10_000;
/** Entries at the paths of the search that are read at most. */
const MAX_READ = 50_000;

export async function newestInFile(query: Query, scope: FileScope, wanted: WantedMatches): Promise<NewestMatches> {
  const { limit, accepts } = wanted;
  const tail: number[] = [];
  for (const { seq, words } of tailAt(scope)) if (accepts((term) => countTerm(words, term) > 0)) tail.push(seq);
  tail.reverse();
  if (tail.length >= limit || scope.index.upto === undefined)
    return { seqs: tail.slice(0, limit), complete: tail.length < limit };
  const indexed = await newestIndexed(query, scope, { ...wanted, limit: limit - tail.length });
  return { ...indexed, seqs: tail.concat(indexed.seqs) };
}

async function newestIndexed(query: Query, scope: FileScope, wanted: WantedMatches): Promise<NewestMatches> {
  const { places } = scope;
  if (!places) return newestRows(query, scope, wanted);
  const few = await places.few();
  if (few) return newestOf(await matchTexts(query, scope, { ...wanted, placed: few }), wanted.limit);
  const looked = await newestLookedUp(query, scope, { ...wanted, places });
  return looked ?? (await newestRead(query, scope, { ...wanted, places }));
}

function newestOf(seqs: number[], limit: number): NewestMatches {
  seqs.sort((a, b) => b - a);
  return { seqs: seqs.slice(0, limit), complete: seqs.length < limit };
}

async function newestRows(
  query: Query,
  scope: FileScope,
  { expression, limit }: Pick<WantedMatches, 'expression' | 'limit'>,
): Promise<NewestMatches> {
  const { outdated } = scope.index;
  const rows = await query.all<{ seq: number }>(
    sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq FROM words.entry_words
        WHERE entry_words MATCH ${expression}${rowsUpTo(scope)} ORDER BY rowid DESC LIMIT ${limit + outdated.size}`,
  );
  const seqs = rows.flatMap(({ seq }) => (outdated.has(seq) ? [] : [seq]));
  return { seqs: seqs.slice(0, limit), complete: seqs.length < limit };
}

type PlacedWanted = WantedMatches & { places: FilePlaces };

/** Looks up the paths of the newest matches; undefined where these do not suffice. */
async function newestLookedUp(
  query: Query,
  scope: FileScope,
  { expression, limit, places }: PlacedWanted,
): Promise<NewestMatches | undefined> {
  const { outdated } = scope.index;
  const most = scope.most ?? MAX_LOOKED_AT;
  const newest = sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq FROM words.entry_words
    WHERE entry_words MATCH ${expression}${rowsUpTo(scope)} ORDER BY rowid DESC LIMIT ${most}`;
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM (${newest}) AS newest WHERE ${places.isAt(sql`newest.seq`)} LIMIT ${limit + outdated.size}`,
  );
  const seqs = rows.flatMap(({ seq }) => (outdated.has(seq) ? [] : [seq]));
  if (seqs.length >= limit) return { seqs: seqs.slice(0, limit), complete: false };
  const all = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM (${newest}) AS newest`);
  return (all?.n ?? 0) < most ? { seqs, complete: true } : undefined;
}

/** Reads the entries at the paths of the search: in proportion to these, not to the account. */
async function newestRead(query: Query, scope: FileScope, { places, ...wanted }: PlacedWanted): Promise<NewestMatches> {
  const found: number[] = [];
  if (!places.parts) return { seqs: found, complete: false };
  let read = 0;
  for await (const placed of places.parts()) {
    for (const seq of await matchTexts(query, scope, { ...wanted, placed })) found.push(seq);
    read += placed.seqs.length;
    if (read >= MAX_READ) return { ...newestOf(found, wanted.limit), complete: false };
  }
  return newestOf(found, wanted.limit);
}

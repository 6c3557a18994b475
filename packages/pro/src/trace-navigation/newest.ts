import {
  type Caller,
  type Dialect,
  Fault,
  findTraces,
  listSeqsAfter,
  MAIN_BRANCH,
  pause,
  type Query,
  readAccount,
  readableRows,
  type Services,
  syntaxOf,
  type Term,
} from '@mem-service/server/module';
import { type IndexedDocument, readDocumentsWithin } from './documents.ts';
import { indexTraces } from './follow-log.ts';
import * as queries from './queries.ts';
import { expressionOf, hasTerms } from './terms.ts';
import { attributeToken } from './tokens.ts';

type TraceFinder = { read: Query; scan: Query; dialect: Dialect; caller: Caller; services: Services };
type WantedTraces = { key: string; values: readonly string[]; from: number; branch: string };
export type NewestTrace = queries.PlacedTraceRow & { trace_id: string };

const MAX_UNINDEXED = 100;
const MAX_UNINDEXED_PAGES = 8;
/** Of those with the attribute, so many at a time: the newest may be on another branch, or such that the caller does not see it. */
const FIRST_LOOKED_AT = 10;
const MOST_LOOKED_AT = 1000;

/** The newest trace on a branch with each of some values of an attribute, among those that the caller may see. */
export async function newestWithAttribute(
  finder: TraceFinder,
  { key, values, from, branch }: WantedTraces,
): Promise<ReadonlyMap<string, NewestTrace>> {
  const { read, caller } = finder;
  const { account_id } = caller;
  const account = await readAccount(read, account_id);
  const found = new Map<string, NewestTrace>();
  if (!account) return found;
  const indexed = await queries.getIndexedSeq(read, account_id, indexTraces.name);
  const tail = await readTail(finder, indexed);
  for (const value of values) {
    const terms = termsOf({ key, value, branch });
    const first = tail.filter(({ words }) => hasTerms(words, terms)).map(({ row }) => row);
    const newest =
      (await newestInSight(
        finder,
        first.filter((one) => one.seq >= from && one.branch === branch),
      )) ?? (await newestIndexed(finder, { account, terms, range: { from, before: indexed + 1 }, branch }));
    if (newest) found.set(value, newest);
  }
  return found;
}

/** Traces off main have the name of their branch as an attribute too. */
function termsOf({ key, value, branch }: { key: string; value: string; branch: string }): Term[] {
  const having = (name: string, text: string): Term => ({ words: [attributeToken(name, text)], prefix: false });
  return [having(key, value), ...(branch === MAIN_BRANCH ? [] : [having('memory_branch', branch)])];
}

type IndexedPart = {
  account: { account_id: string; number: number };
  terms: readonly Term[];
  range: queries.SeqRange;
  branch: string;
};

async function newestIndexed(
  finder: TraceFinder,
  { account, terms, range, branch }: IndexedPart,
): Promise<NewestTrace | undefined> {
  const { scan, dialect } = finder;
  const expression = expressionOf(syntaxOf(dialect.engine), account.number, terms);
  let { before } = range;
  for (let limit = FIRST_LOOKED_AT; ; limit = Math.min(MOST_LOOKED_AT, 10 * limit)) {
    const within = { account, range: { ...range, before }, expression, limit };
    const seqs = await queries.listMatching(scan, dialect, within);
    const rows =
      seqs.length === 0
        ? []
        : await queries.listPlaced(scan, account.account_id, { seqs: dialect.numbers(seqs), branch });
    const newest = await newestInSight(finder, rows);
    if (newest || seqs.length < limit) return newest;
    before = seqs.at(-1) as number;
    await pause();
  }
}

/** Traces that are not in the index yet, newest first. */
async function readTail({ scan, dialect, caller }: TraceFinder, indexed: number): Promise<IndexedDocument[]> {
  const { account_id } = caller;
  const seqs = await listSeqsAfter(scan, { account_id, after: indexed, limit: MAX_UNINDEXED + 1 });
  const source = { query: scan, dialect, account_id };
  const { documents, isCut } = await readDocumentsWithin(source, seqs.slice(0, MAX_UNINDEXED), MAX_UNINDEXED_PAGES);
  if (isCut || seqs.length > MAX_UNINDEXED)
    throw new Fault('unavailable', 'the newest traces are being indexed: try again in a moment', {
      retry_after: 1,
    });
  return documents.toSorted((a, b) => b.row.seq - a.row.seq);
}

async function newestInSight(
  { scan, caller, services }: TraceFinder,
  candidates: readonly queries.PlacedTraceRow[],
): Promise<NewestTrace | undefined> {
  const isSeen = ({ visible_to }: queries.PlacedTraceRow) => visible_to === '' || visible_to === caller.agent_id;
  const [newest] = await readableRows({ caller, services }, candidates.filter(isSeen));
  if (!newest) return undefined;
  const [trace] = await findTraces(scan, caller.account_id, [newest.seq]);
  const { seq, agent_id, branch, visible_to } = newest;
  return trace && { seq, agent_id, branch, visible_to, trace_id: trace.trace_id };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '@mem-service/contract';
import { type EntryView, type ReadContext, readAccount } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { findDocuments } from '../entries/index.ts';
import { type Indexer, indexerOf } from './indexer.ts';
import { rowidOf } from './indexing.ts';
import { listOutdated, listTail, type TailHead } from './queries.ts';
import { type IndexedEntry, wordsOfEntry, wordsOfEntryInSteps } from './rules/words.ts';

/** An entry that the index does not have yet. */
export type TailText = { seq: number; entity_path: string; words: readonly string[] };

/** What a search on SQLite reads: the index up to a `seq`, and the entries written after it. */
export type IndexState = {
  /** Undefined where there is no index: everything is in the tail. */
  upto: number | undefined;
  tail: readonly TailText[];
  /** Rows of the index that entries of the tail have replaced. */
  outdated: ReadonlySet<number>;
};

/** A longer tail waits for the index. */
const MAX_TAIL = 4000;
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_WAIT_MS = 10_000;
/** A tail of this length is worth the thread that indexes it. */
const LONG_TAIL = 256;

const NOTHING: ReadonlySet<number> = new Set();

/** Reads how far the index goes, and the words of what it does not have. */
export async function readIndexState(
  context: ReadContext,
  { number, seq }: { number: number; seq: number },
): Promise<IndexState | undefined> {
  const { view, services } = context;
  const indexer = indexerOf(services);
  if (!indexer) return undefined;
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const upto = await positionIn(context, indexer, seq);
    if (upto !== undefined && upto >= seq) return { upto, tail: [], outdated: NOTHING };
    const heads = await listTail(context.read, view, { after: upto ?? 0, limit: MAX_TAIL + 1 });
    if (heads.length > LONG_TAIL) indexer.request(view.account_id);
    if (heads.length <= MAX_TAIL && bytesOf(heads) <= MAX_TAIL_BYTES)
      return {
        upto,
        tail: await textsOf(context, heads),
        outdated: await outdatedBy(context, { number, upto, heads }),
      };
    await waitFor(indexer, view, { deadline, behind: seq - (upto ?? 0) });
  }
}

/** An index that is ahead of the log was made from a later state, which has been replaced by a backup. */
export async function positionIn(
  { view, read }: ReadContext,
  indexer: Indexer,
  seq: number,
): Promise<number | undefined> {
  const upto = await indexer.position(view.account_id);
  if (upto === undefined || upto <= seq) return upto;
  const account = await readAccount(read, view.account_id);
  return account && upto <= account.seq ? upto : undefined;
}

const bytesOf = (heads: readonly TailHead[]): number =>
  heads.reduce((sum, { document_bytes, deleted }) => sum + (deleted === 1 ? 0 : document_bytes), 0);

async function waitFor(
  indexer: Indexer,
  { account_id }: EntryView,
  { deadline, behind }: { deadline: number; behind: number },
): Promise<void> {
  const left = deadline - performance.now();
  if (left <= 0)
    throw new Fault(
      'unavailable',
      `the index of words is ${behind} changes behind and is being written: search again`,
      {
        retry_after: 2,
      },
    );
  await indexer.advance(account_id, left);
}

async function outdatedBy(
  { read, dialect }: ReadContext,
  { number, upto, heads }: { number: number; upto: number | undefined; heads: readonly TailHead[] },
): Promise<ReadonlySet<number>> {
  if (upto === undefined) return NOTHING;
  // The number of an entry is the `seq` of its first version.
  const known = heads.filter(({ entry_id }) => entry_id <= upto);
  if (known.length === 0) return NOTHING;
  const entries = dialect.numbers(known.map(({ entry_id }) => rowidOf(number, entry_id)));
  return new Set(await listOutdated(read, entries));
}

/** Words of the tail that were made already, by account. */
type KnownTexts = Map<number, TailText>;
const known = new WeakMap<Indexer, Map<string, KnownTexts>>();
const MAX_KNOWN_ACCOUNTS = 8;
/** Texts that are kept although a search does not use them: another one may, with another scope. */
const MAX_UNUSED = 500;

function knownOf(indexer: Indexer, accountId: string): KnownTexts {
  const accounts = known.get(indexer) ?? new Map<string, KnownTexts>();
  known.set(indexer, accounts);
  const found = accounts.get(accountId) ?? new Map();
  accounts.delete(accountId);
  accounts.set(accountId, found);
  for (const [oldest] of accounts) if (accounts.size > MAX_KNOWN_ACCOUNTS) accounts.delete(oldest);
  return found;
}

/** Documents whose words are made before other requests get a turn. */
const TURN_BYTES = 32 * 1024;
const PAGE_ROWS = 100;

async function textsOf({ read, view, services }: ReadContext, heads: readonly TailHead[]): Promise<TailText[]> {
  const live = heads.filter(({ deleted }) => deleted !== 1);
  const texts = knownOf(indexerOf(services) as Indexer, view.account_id);
  if (texts.size > live.length + MAX_UNUSED) {
    const used = new Set(live.map(({ seq }) => seq));
    for (const seq of texts.keys()) if (!used.has(seq)) texts.delete(seq);
  }
  const missing = live.filter(({ seq }) => !texts.has(seq));
  for (let from = 0; from < missing.length; from += PAGE_ROWS) {
    const page = missing.slice(from, from + PAGE_ROWS);
    const documents = await findDocuments(read, view.account_id, page);
    let turn = 0;
    for (const [i, { seq }] of page.entries()) {
      const document = documents[i];
      // Erased since then.
      if (document === undefined) continue;
      const entry: IndexedEntry = JSON.parse(document);
      texts.set(seq, { seq, entity_path: entry.entity_path, words: await wordsOfParsed(entry, document.length) });
      turn += document.length;
      if (turn < TURN_BYTES) continue;
      turn = 0;
      await nextTurn();
    }
  }
  return live.flatMap(({ seq }) => texts.get(seq) ?? []);
}

/** The words of a document; a long one gives other requests their turn in between. */
export const wordsOfDocument = (document: string): string[] | Promise<string[]> =>
  wordsOfParsed(JSON.parse(document), document.length);

/** The same of a document that was parsed; `length` is that of its text. */
export const wordsOfParsed = (entry: IndexedEntry, length: number): string[] | Promise<string[]> =>
  length <= TURN_BYTES ? wordsOfEntry(entry) : inTurns(wordsOfEntryInSteps(entry));

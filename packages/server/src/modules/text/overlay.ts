import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AccountRow,
  type BranchSpan,
  type EntryView,
  isSamePosition,
  type LogPosition,
  type ReadContext,
  type Services,
} from '../../kernel/index.ts';
import { findDocuments, listOverlaid, type OverlaidVersion } from '../entries/index.ts';
import { indexerOf } from './indexer.ts';
import type { IndexedEntry } from './rules/words.ts';
import { type IndexState, positionIn, type TailText, wordsOfParsed } from './tail.ts';
import { TextsByWord } from './texts-by-word.ts';

/**
 * What a view shows beside the index of words, which has the newest rows alone: the index is asked for rows of the last branch
 * of its lineage up to `floor`, and these texts are searched one by one.
 */
export type Overlay = {
  base: EntryView;
  floor: number;
  texts: readonly TailText[];
  seqs: ReadonlySet<number>;
  byWord: TextsByWord;
  /** On SQLite. */
  index: IndexState | undefined;
};

/** With more, or with more bytes, a view is scanned. */
const MAX_VERSIONS = 4000;
const MAX_BYTES = 4 * 1024 * 1024;

type OverlaidTexts = Pick<Overlay, 'texts' | 'seqs' | 'byWord'>;
type KnownOverlay = OverlaidTexts & { at: LogPosition; floor: number };

/** Overlays that are remembered, of all accounts. */
const MAX_KNOWN = 16;
const memories = new WeakMap<Services['database'], Map<string, KnownOverlay>>();

function memoryOf({ database }: Services): Map<string, KnownOverlay> {
  const known = memories.get(database) ?? new Map<string, KnownOverlay>();
  memories.set(database, known);
  return known;
}

/** Undefined where the view differs too much from the newest rows of the last branch of its lineage. */
export async function readOverlay(context: ReadContext, account: AccountRow): Promise<Overlay | undefined> {
  const { view, services } = context;
  const last = view.lineage.at(-1) as BranchSpan;
  const base: EntryView = { ...view, lineage: [{ branch: last.branch, up_to_seq: null }] };
  const end = Math.min(last.up_to_seq ?? account.seq, account.seq);
  const indexer = indexerOf(services);
  const position = indexer && (await positionIn(context, indexer, account.seq));
  const floor = indexer ? Math.min(end, position ?? 0) : end;
  const index = indexer && { upto: position === undefined ? undefined : floor, tail: [], outdated: new Set<number>() };
  const at = { seq: account.seq, stamp: account.seq_stamp };
  const memory = memoryOf(services);
  const name = `${view.account_id} ${JSON.stringify(view.lineage)}`;
  const known = memory.get(name);
  memory.delete(name);
  const isSame = known !== undefined && known.floor === floor && isSamePosition(known.at, at);
  const found = isSame ? known : await textsAbove(context, floor, known?.byWord);
  if (!found) {
    if (floor < end) indexer?.request(view.account_id);
    return undefined;
  }
  const { texts, seqs, byWord } = found;
  memory.set(name, { at, floor, texts, seqs, byWord });
  if (memory.size > MAX_KNOWN) memory.delete(memory.keys().next().value as string);
  return { base, floor, texts, seqs, byWord, index };
}

async function textsAbove(
  { scan, view, services }: ReadContext,
  floor: number,
  known: TextsByWord | undefined,
): Promise<OverlaidTexts | undefined> {
  const most = services.limits.max_overlaid_entries ?? MAX_VERSIONS;
  const found = await listOverlaid(scan, view, { after: floor, most });
  const live = found?.filter(({ deleted }) => deleted !== 1);
  if (!live || live.reduce((sum, { document_bytes }) => sum + document_bytes, 0) > MAX_BYTES) return undefined;
  const byWord = known?.isWorthKeeping(live.length) ? known : new TextsByWord();
  const missing = live.filter(({ seq }) => !byWord.get(seq));
  for (let from = 0; from < missing.length; from += PAGE_ROWS)
    await byWord.add(await wordsOf({ scan, view }, missing.slice(from, from + PAGE_ROWS)));
  const texts = live.flatMap(({ seq }) => byWord.get(seq) ?? []);
  return { texts, seqs: new Set(texts.map(({ seq }) => seq)), byWord };
}

const PAGE_ROWS = 100;
/** Documents whose words are made before other requests get a turn. */
const TURN_BYTES = 32 * 1024;

async function wordsOf({ scan, view }: Pick<ReadContext, 'scan' | 'view'>, page: readonly OverlaidVersion[]) {
  const texts: TailText[] = [];
  const documents = await findDocuments(scan, view.account_id, page);
  let turn = 0;
  for (const [i, { seq }] of page.entries()) {
    const document = documents[i];
    // Erased since then.
    if (document === undefined) continue;
    const entry: IndexedEntry = JSON.parse(document);
    texts.push({ seq, entity_path: entry.entity_path, words: await wordsOfParsed(entry, document.length) });
    turn += document.length;
    if (turn < TURN_BYTES) continue;
    turn = 0;
    await nextTurn();
  }
  return texts;
}

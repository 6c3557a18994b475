import type { RecallEntries, RecallEntry } from './candidates.ts';
import { compareOthers, type MeaningSearch } from './meaning.ts';
import { listAround, type WrittenAround } from './queries.ts';
import { scoresOf } from './rank.ts';
import { placesOf } from './rules/places.ts';
import type { RetrieveInput } from './weights.ts';

/** The best entries, whose neighbours are looked up. */
const ANCHORS = 12;
/** The best entries, whose words are compared one by one. */
const RELATED = 30;

type Weighing = { input: RetrieveInput; weights: readonly number[] };
/** Where entries stand in what their authors wrote, by `seq`; empty where neighbours do not count. */
export type AuthorPlaces = ReadonlyMap<number, number>;

export const NO_PLACES: AuthorPlaces = new Map();

/** Adds the entries written just before and after the best ones, which in a conversation hold what a question is about. */
export async function addNeighbours(
  search: MeaningSearch,
  entries: RecallEntries,
  weighing: Weighing,
): Promise<AuthorPlaces> {
  const best = bestOf(entries.all, { ...weighing, places: NO_PLACES }).map(({ row }) => row.seq);
  if (best.length === 0) return NO_PLACES;
  const { around, added } = await addAround(search, entries, best.slice(0, ANCHORS));
  if (weighing.input.neighbours !== true && !areSequence(entries, around)) {
    entries.drop(added);
    return NO_PLACES;
  }
  await compareOthers(search, entries);
  return placesOf(around);
}

/** Adds what was written around some entries. */
async function addAround(
  { context: { scan, view }, fetch }: MeaningSearch,
  entries: RecallEntries,
  seqs: readonly number[],
): Promise<{ around: WrittenAround[]; added: number[] }> {
  const around = await listAround(scan, view, seqs);
  const near = around.flatMap(({ before, after }) => [...before, ...after]);
  const missing = [...new Set(near)].filter((seq) => !entries.has(seq));
  if (missing.length > 0) await entries.add(await fetch(missing));
  return { around, added: missing };
}

/** The neighbours of an entry that are in the same sequence, at least, where entries are one. */
const IN_SEQUENCE = 4;

/** Whether entries are a sequence, such as a conversation: most of the best have others of the same on both sides. */
function areSequence(entries: RecallEntries, around: readonly WrittenAround[]): boolean {
  const inSequence = around.filter(({ seq, before, after }) => {
    const own = entries.get(seq)?.sequence;
    return [...before, ...after].filter((one) => entries.get(one)?.sequence === own).length >= IN_SEQUENCE;
  });
  return 2 * inSequence.length > around.length;
}

/** Compares the words of the best entries with those of the question one by one, and their names with the whole of it. */
export async function relateBest(
  { thread, text, by, question }: MeaningSearch,
  entries: RecallEntries,
  weighing: Weighing & { places: AuthorPlaces },
): Promise<void> {
  const best = bestOf(entries.all, weighing)
    .slice(0, RELATED)
    .flatMap((entry) => (entry.row.document === null ? [] : [{ entry, document: entry.row.document }]));
  const documents = best.map(({ document }) => document);
  const asked = by === 'builtin' ? question : undefined;
  const { words, names } = await thread.run('related', { ...text, documents, question: asked });
  best.forEach(({ entry }, at) => {
    entry.related = words[at];
    entry.name = names[at];
  });
}

function bestOf(all: readonly RecallEntry[], weighing: Weighing & { places: AuthorPlaces }): RecallEntry[] {
  const scores = scoresOf(all, weighing);
  return all
    .map((entry, at) => ({ entry, score: scores[at]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score || b.entry.row.seq - a.entry.row.seq)
    .map(({ entry }) => entry);
}

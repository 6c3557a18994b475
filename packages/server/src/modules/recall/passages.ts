import type { ReadContext } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { fadedMember, findDocuments, toEntry } from '../entries/index.ts';
import type { RetrieveAnswer } from './handlers.ts';
import type { MeaningSearch } from './meaning.ts';
import type { RankedEntry } from './rank.ts';
import { bestPassage, type WeightedTerm } from './rules/best-passage.ts';
import { fillBudget } from './rules/budget.ts';
import { PASSAGE_CHARS, passagesOf, textOfValue, tokensIn } from './rules/passages.ts';
import type { RetrieveInput } from './weights.ts';

type RecalledEntry = RetrieveAnswer['entries'][number];

export type ShowOptions = {
  input: RetrieveInput;
  page: readonly RankedEntry[];
  avoid: readonly RankedEntry[];
  terms: readonly WeightedTerm[];
  /** Undefined where passages are chosen by words alone. */
  meaning: MeaningSearch | undefined;
};

type PassagedEntry = RankedEntry & { document: string; passage: string; tokens: number };

/** The answer: entries with their passages, as many as fit. */
export async function showEntries(context: ReadContext, options: ShowOptions) {
  const { input, page, avoid } = options;
  const shown = await withPassages(context, [...page, ...avoid], options);
  const isPage = (entry: PassagedEntry): boolean => page.some(({ row }) => row === entry.row);
  const all = [...shown.filter(isPage), ...shown.filter((entry) => !isPage(entry))];
  const { kept, left } = fillBudget(all, { limit: all.length, tokens: input.max_tokens });
  const entries = kept.filter(isPage);
  const refuted = kept.filter((entry) => !isPage(entry));
  const answer = {
    entries: entries.map((entry) => toAnswer(context, input, entry)),
    avoid: refuted.map((entry) => toAnswer(context, input, entry)),
    left_out: left.map((entry) => {
      const { entity_path, key } = JSON.parse(entry.document) as { entity_path: string; key: string };
      return { entity_path, key, tokens: entry.tokens, ...(isPage(entry) ? {} : { avoid: true as const }) };
    }),
    tokens: kept.reduce((sum, { tokens }) => sum + tokens, 0),
  };
  return { answer, noted: entries.map(({ row }) => row) };
}

async function withPassages(
  { scan, view }: ReadContext,
  ranked: readonly RankedEntry[],
  { terms, meaning }: ShowOptions,
): Promise<PassagedEntry[]> {
  const missing = ranked.filter(({ row }) => row.document === null).map(({ row }) => row);
  const loaded = new Map((await findDocuments(scan, view.account_id, missing)).map((text, at) => [missing[at], text]));
  const found = ranked.flatMap((entry) => {
    const document = entry.row.document ?? loaded.get(entry.row);
    return document === undefined ? [] : [{ ...entry, document }];
  });
  const documents = found.map(({ document }) => document);
  const passages = await choosePassages(documents, { terms, meaning });
  return found.map((entry, at) => {
    const passage = passages[at] as string;
    return { ...entry, passage, tokens: tokensIn(passage) };
  });
}

/** The passages of documents that fit a question best, by words alone where there is no meaning. */
export async function choosePassages(
  documents: readonly string[],
  { terms, meaning }: Pick<ShowOptions, 'terms' | 'meaning'>,
): Promise<string[]> {
  const builtin = meaning?.by === 'builtin' ? meaning : undefined;
  const long = builtin ? documents.filter(({ length }) => length > PASSAGE_CHARS) : [];
  const asked = builtin && { terms, question: builtin.question };
  const chosen = asked && long.length > 0 ? await builtin.thread.bestPassages(long, asked) : [];
  const known = new Map(long.map((document, at) => [document, chosen[at]]));
  const passages: string[] = [];
  for (const document of documents) {
    passages.push(known.get(document) ?? bestPassage(passagesOf(textOfValue(JSON.parse(document).value)), terms));
    await pause();
  }
  return passages;
}

function toAnswer({ services, now }: ReadContext, input: RetrieveInput, entry: PassagedEntry): RecalledEntry {
  const { row, document, score, breakdown, passage, tokens } = entry;
  const isCompact = input.compact || input.max_tokens !== undefined;
  const members = { score, breakdown, passage, tokens };
  const extra = `${fadedMember(services, row, now)},${JSON.stringify(members).slice(1, -1)}`;
  return toEntry<RecalledEntry>({ ...row, document: isCompact ? withoutValue(document) : document }, extra);
}

function withoutValue(document: string): string {
  const { value: _, ...rest } = JSON.parse(document);
  return JSON.stringify(rest);
}

import {
  type ComparedRow,
  type EntryView,
  findComparedIn,
  findVersionTexts,
  fromDocument,
  inTurns,
  isLive,
  listChangedHeads,
  parseExactInSteps,
  pause,
  type Query,
  type VersionText,
} from '@mem-service/server/module';
import type { EntryState, MaybeState } from './rules/states.ts';
import type { WriteWindow } from './rules/windows.ts';

export type MergedName = { entity_path: string; key: string };

export const nameText = ({ entity_path, key }: MergedName): string => `${entity_path}\n${key}`;

/** A version as it was written: its texts as they are stored, and what they say. */
export type Content = ReturnType<typeof fromDocument> & { state: EntryState };

const NAMES_PER_STATEMENT = 500;
const VERSIONS_PER_STATEMENT = 200;
const HEADS_PER_STATEMENT = 1000;

/** The entries of a view with these names, in any state. */
export async function loadRows(
  query: Query,
  view: EntryView,
  names: readonly MergedName[],
): Promise<Map<string, ComparedRow>> {
  const rows = new Map<string, ComparedRow>();
  for (let at = 0; at < names.length; at += NAMES_PER_STATEMENT) {
    for (const row of await findComparedIn(query, view, names.slice(at, at + NAMES_PER_STATEMENT)))
      rows.set(nameText(row), row);
    await pause();
  }
  return rows;
}

/** Contents of versions, each loaded once. */
export class Contents {
  readonly #query: Query;
  readonly #view: EntryView;
  readonly #known = new Map<string, Content | undefined>();

  constructor(query: Query, view: EntryView) {
    this.#query = query;
    this.#view = view;
  }

  /** `deletions`: also what says who deleted an entry. */
  async load(rows: readonly (ComparedRow | undefined)[], deletions = false): Promise<void> {
    const missing = new Map<string, ComparedRow>();
    for (const row of rows) {
      await pause();
      if (!row || this.#known.has(numberText(row))) continue;
      if (isLive(row, this.#view.at) || (deletions && isDeleted(row))) missing.set(numberText(row), row);
    }
    const all = [...missing];
    for (let at = 0; at < all.length; at += VERSIONS_PER_STATEMENT) {
      const some = all.slice(at, at + VERSIONS_PER_STATEMENT);
      const found = await findVersionTexts(
        this.#query,
        this.#view.account_id,
        some.map(([, row]) => row),
      );
      for (const [i, [name]] of some.entries()) {
        const text = found[i];
        this.#known.set(name, text && (await toContent(text)));
        await pause();
      }
    }
  }

  /** Undefined for an entry that is deleted, has expired or was erased. */
  of(row: ComparedRow | undefined): Content | undefined {
    return isLive(row, this.#view.at) ? this.#known.get(numberText(row)) : undefined;
  }

  /** The version that deleted an entry. */
  deletionOf(row: ComparedRow | undefined): Content | undefined {
    return row && isDeleted(row) ? this.#known.get(numberText(row)) : undefined;
  }

  stateOf(row: ComparedRow | undefined): MaybeState {
    return this.of(row)?.state;
  }
}

/** Not of one under quarantine. */
const isDeleted = ({ deleted }: ComparedRow): boolean => deleted === 1;

const numberText = ({ entry_id, version }: ComparedRow): string => `${entry_id} ${version}`;

export async function toContent({
  document,
  confidence,
}: Pick<VersionText, 'document' | 'confidence'>): Promise<Content> {
  const content = fromDocument({ document, confidence, deleted: 0 });
  const { memory_type, shared, ttl_at } = content;
  const value = await inTurns(parseExactInSteps(content.value));
  const pattern_refs: unknown = JSON.parse(content.pattern_refs);
  const artifact_refs: unknown = JSON.parse(content.artifact_refs);
  const state = { value, memory_type, shared: shared === 1, ttl_at, pattern_refs, artifact_refs, confidence };
  return { ...content, state };
}

/** Names that were written within windows, each once, and at most so many; `more` says that there are others. */
export async function namesWritten(
  query: Query,
  accountId: string,
  { windows, most }: { windows: readonly WriteWindow[]; most: number },
): Promise<{ names: MergedName[]; more: boolean }> {
  const names = new Map<string, MergedName>();
  for (const { branch, after, up_to } of windows)
    for (let from = after; ; ) {
      const heads = await listChangedHeads(query, {
        account_id: accountId,
        branch,
        after: from,
        limit: HEADS_PER_STATEMENT,
      });
      for (const { entity_path, key, entry_id } of heads)
        if (up_to === null || entry_id <= up_to) names.set(nameText({ entity_path, key }), { entity_path, key });
      if (names.size > most) return { names: [...names.values()].slice(0, most), more: true };
      const last = heads.at(-1);
      if (!last || heads.length < HEADS_PER_STATEMENT) break;
      from = last.seq;
      await pause();
    }
  return { names: [...names.values()], more: false };
}

import { Fault } from '@mem-service/contract';
import type { Work } from '../../kernel/index.ts';
import {
  contentHash,
  type EntryDraft,
  type EntryRow,
  type EntrySet,
  fromDocument,
  isLive,
  listLastVersions,
  listVersionsAtTimes,
  mayAgentSee,
} from '../entries/index.ts';
import { decideImport, type ImportDecision, type ImportHead } from './rules/decide.ts';

type AddedVersion = { written_at: number; content_hash: string };
type KnownEntry = { row: EntryRow | undefined; head: ImportHead | undefined; added: AddedVersion[] };

const versionName = ({ entry_id, written_at, content_hash }: AddedVersion & { entry_id: number }): string =>
  `${entry_id} ${written_at} ${content_hash}`;

const authorName = ({ entry_id, agent_id }: Pick<EntryRow, 'entry_id' | 'agent_id'>) => `${entry_id} ${agent_id}`;

const entryKeyText = ({ entity_path, key }: EntryDraft) => `${entity_path}\n${key}`;

/** The entries of an import in progress, also in a dry run. */
export class ImportHeads {
  readonly #work: Work;
  readonly #set: EntrySet;
  readonly #known = new Map<string, KnownEntry>();
  /** What each author last wrote to an entry that others have changed since. */
  readonly #lastBy = new Map<string, string>();
  /** Versions stored before that have the same time as one of the drafts. */
  readonly #stored = new Set<string>();

  private constructor(work: Work, set: EntrySet) {
    this.#work = work;
    this.#set = set;
  }

  static async load(work: Work, set: EntrySet, drafts: readonly EntryDraft[]): Promise<ImportHeads> {
    const heads = new ImportHeads(work, set);
    await heads.#loadTimed(drafts);
    await heads.#loadTimeless(drafts);
    return heads;
  }

  async #loadTimed(drafts: readonly EntryDraft[]): Promise<void> {
    const { account_id, tx, dialect } = this.#work;
    const earlier = drafts.flatMap((draft) => {
      const { entry_id, written_at: newest = 0 } = this.#set.get(draft) ?? {};
      const { written_at } = draft;
      return entry_id === undefined || written_at === undefined || written_at > newest
        ? []
        : [{ entry_id, written_at }];
    });
    if (earlier.length === 0) return;
    const entryIds = dialect.numbers(earlier.map(({ entry_id }) => entry_id));
    const times = dialect.numbers(earlier.map(({ written_at }) => written_at));
    for (const version of await listVersionsAtTimes(tx, account_id, { entryIds, times }))
      this.#stored.add(versionName(version));
  }

  async #loadTimeless(drafts: readonly EntryDraft[]): Promise<void> {
    const { account_id, tx, dialect } = this.#work;
    const changed = drafts.flatMap((draft) => {
      const row = this.#set.get(draft);
      return row && draft.written_at === undefined && row.agent_id !== draft.agent_id ? [row.entry_id] : [];
    });
    if (changed.length === 0) return;
    for (const version of await listLastVersions(tx, account_id, dialect.numbers(changed)))
      this.#lastBy.set(authorName(version), version.content_hash);
  }

  #knownOf(draft: EntryDraft): KnownEntry {
    const name = entryKeyText(draft);
    let known = this.#known.get(name);
    if (!known) {
      const row = this.#set.get(draft);
      known = { row, head: row && headOf(row, this.#work.now), added: [] };
      this.#known.set(name, known);
    }
    return known;
  }

  versionOf(draft: EntryDraft): number {
    return this.#knownOf(draft).head?.version ?? 0;
  }

  decide(draft: EntryDraft, onConflict: 'version' | 'skip'): ImportDecision {
    const { head, row, added } = this.#knownOf(draft);
    const now = this.#work.now;
    if (row && added.length === 0 && !mayAgentSee(row, draft.agent_id)) {
      if (head?.value !== undefined)
        throw new Fault('forbidden', 'this key belongs to an entry that only its author may see and change');
      // A deleted entry only sets a lower bound for the time.
      return { status: 'written', written_at: Math.max(draft.written_at ?? now, row.written_at) };
    }
    const isKnown = this.#isKnown(draft, { row, added });
    return decideImport(
      head,
      { value: draft.value ?? 'null', written_at: draft.written_at, isKnown },
      { onConflict, now },
    );
  }

  /**
   * Whether a version has the same value and time: then it was imported before. Without a time it was if its author
   * wrote this value last; that others have changed or deleted the entry since is to stay.
   */
  #isKnown({ value, written_at, agent_id }: EntryDraft, { row, added }: Omit<KnownEntry, 'head'>): boolean {
    if (value === undefined) return false;
    const content_hash = contentHash(value);
    if (written_at === undefined)
      return row !== undefined && this.#lastBy.get(authorName({ ...row, agent_id })) === content_hash;
    if (added.some((one) => one.written_at === written_at && one.content_hash === content_hash)) return true;
    return row !== undefined && this.#stored.has(versionName({ entry_id: row.entry_id, written_at, content_hash }));
  }

  wrote(draft: EntryDraft, row: EntryRow): void {
    this.#add(draft, headOf(row, this.#work.now));
  }

  /** For a dry run: treats the draft as written. */
  pretend(draft: EntryDraft): void {
    const written_at = draft.written_at ?? this.#work.now;
    this.#add(draft, { version: this.versionOf(draft) + 1, written_at, value: draft.value ?? 'null' });
  }

  #add(draft: EntryDraft, head: ImportHead): void {
    const known = this.#knownOf(draft);
    known.head = head;
    known.added.push({ written_at: head.written_at, content_hash: contentHash(draft.value ?? 'null') });
  }
}

const headOf = (row: EntryRow, now: number): ImportHead => ({
  version: row.version,
  written_at: row.written_at,
  value: isLive(row, now) ? fromDocument(row).value : undefined,
});

import { applyChanges, type LedgerPosition, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import type { ContractCheck } from '../contracts/index.ts';
import { dropCleanReads } from '../sessions/index.ts';
import { checkDraft, refuseProtected, requireRoomFor } from './check-draft.ts';
import type { WriteReason } from './emit.ts';
import { type EntryPlace, findInherited, withVersions } from './inherited-rows.ts';
import { KeptEntries } from './kept-entries.ts';
import { compareValue, isLargeValue } from './prepare.ts';
import * as queries from './queries.ts';
import type { EntryAddress } from './rows.ts';
import { type EntryRow, fromDocument, type VersionContent, type VersionOrigin, type VersionRow } from './rows.ts';
import { type EntryDraft, isLive, isSameStatement, isUnchanged, nextContent } from './rules/next.ts';
import { type HeadChange, saveHeads } from './save-heads.ts';
import { copyStanding, saveRestarts, saveStandings } from './save-standings.ts';
import { type StampedBy, stamp } from './stamp.ts';
import { type Standing, setStanding } from './standing.ts';
import { insertVersions } from './version-queries.ts';

/** `before` is the hash of the replaced value. */
export type AppliedWrite = { entry: EntryRow; unchanged: boolean; before: string | null };

/** The entries that a transaction writes: their rows as loaded, and the rows to save. */
export class EntrySet {
  readonly #work: Work;
  readonly #before = new Map<string, queries.EntryWithLineRow | undefined>();
  readonly #now = new Map<string, EntryRow | undefined>();
  /** Entries that a branch inherits and has not written itself. */
  readonly #inherited = new Map<string, queries.EntryWithLineRow>();
  /** Rows of a branch itself that take over how an inherited entry stands. */
  readonly #heirs = new Map<string, queries.EntryWithLineRow>();
  readonly #values = new Map<string, unknown>();
  readonly #versions: VersionRow[] = [];
  /** Versions of this transaction that a later version of the same transaction replaced. */
  readonly #replaced = new Map<string, EntryRow[]>();
  /** Entries that outcomes are about, each with its confidence before them. */
  readonly #judged = new Map<queries.EntryWithLineRow, number>();
  readonly #kept: KeptEntries;

  private constructor(work: Work) {
    this.#work = work;
    this.#kept = new KeptEntries(work);
  }

  static async load(work: Work, places: readonly EntryPlace[]): Promise<EntrySet> {
    const set = new EntrySet(work);
    await set.fetch(places);
    return set;
  }

  /** Adds entries to the set. */
  async fetch(places: readonly EntryPlace[]): Promise<void> {
    await this.#fetchOwn(places);
    const heirs = places.filter((at) => at.lineage !== undefined && at.lineage.length > 1 && !this.get(at));
    if (heirs.length === 0) return;
    for (const { at, row } of await findInherited(this.#work, heirs)) this.#inherited.set(addressText(at), row);
  }

  async #fetchOwn(places: readonly EntryAddress[]): Promise<void> {
    const work = this.#work;
    const missing = new Map<string, string[]>();
    for (const at of places) {
      const name = addressText(at);
      if (!this.#before.has(name)) missing.set(name, [work.account_id, at.branch, at.entity_path, at.key]);
    }
    if (missing.size === 0) return work.locked;
    const rows = work.tx.findMany<queries.EntryWithLineRow>(queries.findEntries, [...missing.values()]);
    const [, found] = await Promise.all([work.locked, rows]);
    let i = 0;
    for (const name of missing.keys()) {
      const row = found[i++];
      this.#before.set(name, row);
      this.#now.set(name, row);
    }
  }

  /** Adds entries to the set, and returns each of them. */
  async find(places: readonly EntryPlace[]): Promise<(EntryRow | undefined)[]> {
    const missing = places.filter((at) => !this.#before.has(addressText(at)));
    if (missing.length > 0) await this.fetch(missing);
    return places.map((at) => this.get(at));
  }

  get(at: EntryAddress): EntryRow | undefined {
    const name = addressText(at);
    return this.#now.get(name) ?? this.#inherited.get(name);
  }

  /** Compares a large value with that of its entry, in turns with other requests, before the draft is applied. */
  async compare(draft: EntryDraft): Promise<void> {
    const entry = this.get(draft);
    if (isLargeValue(draft.value) && isLive(entry, this.#work.now))
      await compareValue(draft, fromDocument(entry).value);
  }

  /** Decides what a draft changes in its entry. Throws a Fault, before any change, when the draft is not allowed. */
  apply(draft: EntryDraft, reason: WriteReason = PLAIN_WRITE, check?: ContractCheck): AppliedWrite {
    const work = this.#work;
    const name = addressText(draft);
    const entry = this.get(draft);
    const own = this.#now.get(name);
    refuseProtected(work, draft, reason);
    checkDraft(entry, draft, { now: work.now, reason });
    // A tombstone continues the entry it deletes; any other version starts over when the entry was deleted or expired.
    const there = draft.value === undefined || isLive(entry, work.now) ? entry : undefined;
    const before = there ? fromDocument(there) : undefined;
    const same = isSameStatement(before, draft);
    const content = nextContent(before, draft, same);
    if (there && before && same && isUnchanged(before, content))
      return { entry: there, unchanged: true, before: there.content_hash };
    const value = content.deleted === 1 ? undefined : (draft.parsed ?? JSON.parse(content.value));
    const { agent_id, entity_path, key } = draft;
    check?.({ agent_id, entity_path, key, confidence: content.confidence, ttl_at: content.ttl_at, value });
    if (value !== undefined) requireRoomFor(work, content.value, own);
    const origin: VersionOrigin = {
      branch: draft.branch,
      entity_path: draft.entity_path,
      key: draft.key,
      version: (entry?.version ?? 0) + 1,
      agent_id: draft.agent_id,
      session_id: draft.session_id,
      written_at: draft.written_at ?? work.now,
      commit_id: draft.commit_id ?? null,
      event: draft.event,
    };
    const next = this.#stamp(content, origin, { entry: own, reason, session: draft.session });
    // Evidence belongs to a value and outweighs a repeated write of it: the version stores the confidence as written, the
    // entry keeps the learned one.
    if (entry && same && entry.standing !== null) {
      copyStanding(next, entry);
      if (!own) this.#takeOver(name, next);
    }
    work.account.storage_bytes += Buffer.byteLength(next.document);
    work.account.storage_entries += Number(next.deleted === 0) - Number(own?.deleted === 0);
    if (own && own !== this.#before.get(name)) this.#replace(name, own);
    this.#now.set(name, next);
    if (content.ttl_at !== null) dropCleanReads(work, sessionOf(work, draft));
    if (content.deleted === 0) this.#values.set(name, value);
    else this.#values.delete(name);
    return { entry: next, unchanged: false, before: there?.content_hash ?? null };
  }

  /**
   * Stores entries that a branch only inherits as its own, in the version and with the standing that they have, so that outcomes on
   * the branch change how they stand there and nowhere else.
   */
  async adopt(places: readonly EntryAddress[], actor_agent_id: string): Promise<void> {
    const work = this.#work;
    const inherited = new Map(
      places.flatMap((at) => {
        const name = addressText(at);
        const row = this.#now.get(name) ? undefined : this.#inherited.get(name);
        return row ? [[name, { at, row }]] : [];
      }),
    );
    for (const { at, row, version } of await withVersions(work, [...inherited.values()])) {
      const { origin, ...content } = fromDocument(version);
      const reason = { event_type: 'write', details: { inherited_from: row.branch }, actor_agent_id };
      const own = { ...origin, branch: at.branch, commit_id: null };
      const next = this.#stamp(content, own, { entry: undefined, reason, session: undefined });
      const name = addressText(at);
      const { confidence, standing, standing_no } = row;
      Object.assign(next, { confidence, standing, standing_no });
      this.#takeOver(name, next);
      work.account.storage_bytes += Buffer.byteLength(next.document);
      work.account.storage_entries += Number(next.deleted === 0);
      this.#now.set(name, next);
      if (content.deleted === 0) this.#values.set(name, JSON.parse(content.value));
      await pause();
    }
  }

  #takeOver(name: string, next: EntryRow): void {
    const inherited = this.#inherited.get(name);
    if (!inherited) return;
    const { line_seq, line_no } = inherited;
    const heir = Object.assign(next, { line_seq, line_no });
    this.#heirs.set(name, heir);
    this.#judged.set(heir, heir.confidence);
  }

  #replace(name: string, entry: EntryRow): void {
    const replaced = this.#replaced.get(name);
    if (replaced) replaced.push(entry);
    else this.#replaced.set(name, [entry]);
  }

  #stamp(content: VersionContent, origin: VersionOrigin, by: StampedBy): EntryRow {
    const { version, row } = stamp(this.#work, { content, origin }, by);
    this.#versions.push(version);
    return row;
  }

  /** Changes the standing of an entry of the set, not its content, before the set writes a version of it. */
  setStanding(row: EntryRow, { confidence, standing }: { confidence: number; standing: Standing }): void {
    const entry = this.#forStanding(row);
    entry.confidence = confidence;
    setStanding(entry, standing);
    entry.standing_no++;
  }

  /** Adds a ledger line about an entry and returns the newest line before it. */
  addLedgerLine(row: EntryRow, { seq, no }: LedgerPosition): { before_seq: number | null; before_no: number | null } {
    const entry = this.#forStanding(row);
    const before = { before_seq: entry.line_seq, before_no: entry.line_no };
    this.#kept.judgedAt(entry, seq);
    entry.line_seq = seq;
    entry.line_no = no;
    return before;
  }

  #forStanding(row: EntryRow): queries.EntryWithLineRow {
    const entry = row as queries.EntryWithLineRow;
    if (this.#judged.has(entry)) return entry;
    const name = addressText(row);
    if (this.#before.get(name) !== row || this.#now.get(name) !== row) throw new Error(`${name} cannot stand`);
    this.#judged.set(entry, row.confidence);
    this.#kept.beforeJudged(entry);
    return entry;
  }

  /** Sends the rows; the transaction waits for them before it ends. */
  async save(): Promise<void> {
    const changes: HeadChange[] = [];
    for (const [name, after] of this.#now) {
      const before = this.#before.get(name);
      if (after && after !== before)
        changes.push({ before, after, value: this.#values.get(name), replaced: this.#replaced.get(name) });
    }
    this.#kept.save(changes);
    await this.#saveStandings();
    if (changes.length === 0) return;
    const work = this.#work;
    work.send(work.tx.insertMany(insertVersions, this.#versions));
    await saveHeads(work, changes);
    saveRestarts(
      work,
      changes.map(({ before, after }) => ({ before: before ?? this.#heirs.get(addressText(after)), after })),
    );
    await applyChanges(work, changes);
  }

  async #saveStandings(): Promise<void> {
    const judged = [...this.#judged].map(([entry, confidence_before]) => ({ entry, confidence_before }));
    if (judged.length > 0) await saveStandings(this.#work, judged, new Set(this.#heirs.values()));
  }
}

const sessionOf = ({ account_id }: Work, { agent_id, session }: EntryDraft) => ({
  account_id,
  agent_id,
  session: session ?? '',
});

const PLAIN_WRITE: WriteReason = { event_type: 'write' };

const addressText = (at: EntryAddress) => `${at.branch}\n${at.entity_path}\n${at.key}`;

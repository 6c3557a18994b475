import { Fault } from '@mem-service/contract';
import { EVERYONE, type Work } from '../../kernel/index.ts';
import { changeCounts } from '../counts/index.ts';
import { indexWords, type WordChange } from '../text/index.ts';
import * as queries from './queries.ts';
import { chainHash, contentHash, type EntryRow, type VersionRow } from './rows.ts';
import { content, type Draft, isLive, isUnchanged, mayAgentSee, standing } from './rules/next.ts';

export type Applied = { entry: EntryRow; unchanged: boolean };
/** `event_type` and `details` name why the version was written when it was not a plain write. */
export type Reason = { event_type: string; details?: Record<string, unknown> };

/** The entries of the drafts as the transaction goes on: what was there, and what will be. */
export class EntrySet {
  readonly #work: Work;
  readonly #before = new Map<string, EntryRow | undefined>();
  readonly #now = new Map<string, EntryRow | undefined>();
  readonly #versions: VersionRow[] = [];

  private constructor(work: Work) {
    this.#work = work;
  }

  static async load(work: Work, addresses: readonly Omit<queries.Address, 'account_id'>[]): Promise<EntrySet> {
    const set = new EntrySet(work);
    const wanted = new Map(addresses.map((at) => [nameOf(at), [work.account_id, at.branch, at.entity_path, at.key]]));
    const [, found] = await Promise.all([
      work.locked,
      work.tx.findMany<EntryRow>(queries.findEntries, [...wanted.values()]),
    ]);
    [...wanted.keys()].forEach((name, i) => {
      set.#before.set(name, found[i]);
      set.#now.set(name, found[i]);
    });
    return set;
  }

  get(at: Omit<queries.Address, 'account_id'>): EntryRow | undefined {
    return this.#now.get(nameOf(at));
  }

  /** Decides what a draft does to its entry. Throws a Fault and changes nothing when it may not. */
  apply(draft: Draft, reason: Reason = { event_type: 'write' }): Applied {
    const work = this.#work;
    const before = this.get(draft);
    checkDraft(before, draft, work.now);
    const after = content(before, draft);
    if (isUnchanged(before, after)) return { entry: before as EntryRow, unchanged: true };
    const row: VersionRow = {
      account_id: work.account_id,
      branch: draft.branch,
      entity_path: draft.entity_path,
      key: draft.key,
      version: (before?.version ?? 0) + 1,
      seq: 0,
      ...after,
      agent_id: draft.agent_id,
      session_id: draft.session_id,
      written_at: work.now,
      content_hash: after.value === before?.value ? before.content_hash : contentHash(after.value),
      integrity_chain: '',
      commit_id: draft.commit_id ?? null,
    };
    row.integrity_chain = chainHash(row, before?.integrity_chain ?? '');
    row.seq = emit(work, row, reason);
    const entry = { ...row, ...standing(before, after) };
    // Evidence outweighs a restated opinion: the version keeps what was said, the entry what was learnt.
    if (entry.outcome_count > 0 && before) entry.confidence = before.confidence;
    this.#versions.push(row);
    this.#now.set(nameOf(draft), entry);
    return { entry, unchanged: false };
  }

  /** Sends the rows; the transaction waits for them before it ends. */
  async save(): Promise<void> {
    if (this.#versions.length === 0) return;
    const changes = [...this.#now].flatMap(([name, after]): EntryChange[] => {
      const before = this.#before.get(name);
      return after && after !== before ? [{ before, after }] : [];
    });
    const { tx, dialect } = this.#work;
    const words = indexWords(this.#work, changes.map(wordChange));
    this.#work.send(tx.insertMany(queries.insertVersions, this.#versions));
    const upsert = dialect.engine === 'postgres' ? upsertWithWords : upsertAlone;
    this.#work.send(
      tx.insertMany(
        upsert,
        changes.map(({ after }, i) => ({ ...after, ...words[i] })),
      ),
    );
    await changeCounts(this.#work, changes);
  }
}

const upsertAlone = queries.upsertEntries({});
const upsertWithWords = queries.upsertEntries({ search_words: 'search_text', word_count: 'int' });

const nameOf = (at: Omit<queries.Address, 'account_id'>) => `${at.branch}\n${at.entity_path}\n${at.key}`;

type EntryChange = { before: EntryRow | undefined; after: EntryRow };

function wordChange({ before, after }: EntryChange): WordChange {
  return {
    oldSeq: before && before.deleted === 0 ? before.seq : undefined,
    seq: after.seq,
    entity_path: after.entity_path,
    key: after.key,
    value: after.deleted === 1 ? undefined : after.value,
  };
}

function checkDraft(before: EntryRow | undefined, draft: Draft, now: number): void {
  const there = isLive(before, now);
  if (before && there && !mayAgentSee(before, draft.agent_id))
    throw new Fault('forbidden', 'this key belongs to an entry that only its author may see and change');
  const { if_version, entity_path, key } = draft;
  const current = there && before ? before.version : 0;
  if (if_version !== undefined && if_version !== current)
    throw new Fault('version_conflict', `the entry is at version ${current}, not ${if_version}`, {
      entity_path,
      key,
      current_version: current,
    });
}

function emit(work: Work, row: VersionRow, { event_type, details }: Reason): number {
  const { branch, entity_path, key, version, confidence, memory_type } = row;
  return work.emit({
    event_type,
    agent_id: row.agent_id,
    branch,
    entity_path,
    key,
    version,
    visible_to: row.shared === 1 ? EVERYONE : row.agent_id,
    details: { entity_path, key, version, confidence, memory_type, shared: row.shared === 1, ...details },
  }).seq;
}

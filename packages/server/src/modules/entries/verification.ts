import type { EntryKey } from '@mem-service/contract';
import { type Glob, matchesGlob, type Output } from '@mem-service/contract';
import type { Query, Sql } from '../../db/index.ts';
import { type EntryView, isInScope, type ReadContext } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { findNamedEntries } from './by-name.ts';
import * as queries from './queries.ts';
import { chained, chainHash, contentHash, type EntryRow, fromDocument, type VersionRow } from './rows.ts';
import { mayAgentSee } from './rules/next.ts';
import { isQuarantined } from './rules/state.ts';
import { getVersion, listOrphans, type NamedVersion, type VersionPosition } from './version-queries.ts';

type VerifyReport = Omit<Output<'entries.verify'>, 'next_cursor' | 'has_more'>;
type ChainBreak = VerifyReport['chain_breaks'][number];

type KeyedVersion = EntryKey & VersionRow;
type PreviousVersion = EntryKey & Pick<VersionRow, 'integrity_chain' | 'shared' | 'agent_id'>;

const nameOf = ({ entity_path, key }: EntryKey): string => `${entity_path}\n${key}`;

/** Walks versions in order of path, key and number, and compares each with the one before it. */
export class Verification {
  readonly report: VerifyReport = { total_checked: 0, valid: 0, corrupted: [], chain_breaks: [] };
  readonly #query: Query;
  readonly #view: EntryView;
  #previous: KeyedVersion | undefined;
  /** A problem of the newest version is not reported for its entry again. */
  #sound = true;
  /** The entries of the versions in this walk. */
  #heads = new Map<string, EntryRow>();

  constructor({ scan, view }: Pick<ReadContext, 'scan' | 'view'>) {
    this.#query = scan;
    this.#view = view;
  }

  /** How many problems were found. */
  get problems(): number {
    const { corrupted, chain_breaks, damaged = [] } = this.report;
    return corrupted.length + chain_breaks.length + damaged.length;
  }

  /** Continues where an earlier call ended. */
  async resume([entity_path, key, version]: VersionPosition): Promise<void> {
    const row = await this.#readVersion({ entity_path, key }, version);
    this.#previous = row && { ...row, entity_path, key };
  }

  /** `where`: the conditions that the versions were listed with. */
  async add(rows: readonly NamedVersion[], where: readonly Sql[]): Promise<void> {
    const [from, to] = [this.#previous ?? rows[0], rows.at(-1) ?? this.#previous];
    if (!from || !to) return;
    const heads = await queries.listEntriesBetween(this.#query, this.#view, { where, from, to });
    this.#heads = new Map(heads.map((head) => [nameOf(head), head]));
    for (const row of rows) {
      await pause();
      const last = this.#previous;
      const before = last?.entity_path === row.entity_path && last.key === row.key ? last : undefined;
      if (!before) await this.#checkHead();
      if (row.version === null) await this.#checkBare(row);
      else this.#check(row, before);
      this.#previous = row.version === null ? undefined : row;
    }
  }

  /** Returns a function that undoes what is added from now on. */
  mark(): () => void {
    const { total_checked, valid, corrupted, chain_breaks } = this.report;
    const [sound, previous] = [this.#sound, this.#previous];
    const lists = [corrupted, chain_breaks].map((list) => ({ list, length: list.length }));
    return () => {
      Object.assign(this.report, { total_checked, valid });
      for (const { list, length } of lists) list.length = length;
      [this.#sound, this.#previous] = [sound, previous];
    };
  }

  /** Goes on behind an entry that cannot be read. */
  pass(damaged: NonNullable<VerifyReport['damaged']>): void {
    if (damaged.length > 0) this.report.damaged = [...(this.report.damaged ?? []), ...damaged];
    this.#previous = undefined;
  }

  /** After the last version: checks its entry, and versions whose entry is missing. */
  async end(glob: Glob | undefined): Promise<void> {
    await this.#checkHead();
    const orphans = await listOrphans(this.#query, this.#view, MAX_ORPHANS);
    const lost = orphans.flatMap((row) => {
      const place = parseVersion(row)?.origin;
      if (!place || !this.#isHere(place.branch) || (glob && !matchesGlob(glob, place.entity_path))) return [];
      return isInScope(this.#view.scope, place.entity_path) ? [{ row, place }] : [];
    });
    const names = lost.map(({ place }) => place);
    const entries = await findNamedEntries(this.#query, this.#view, { names, including: 'all' });
    for (const [i, { row, place }] of lost.entries()) {
      const { entity_path, key } = place;
      if (entries[i]) continue;
      this.#break({ ...row, entity_path, key }, { version: row.version, reason: 'head_mismatch' });
    }
  }

  /** The head must match the newest version. A mismatch is read again: the entry may have changed meanwhile. */
  async #checkHead(): Promise<void> {
    const last = this.#previous;
    if (!last) return;
    const entry = this.#heads.get(nameOf(last));
    if (entry && (isHeadOf(entry, last) || (!this.#sound && entry.version === last.version))) return;
    const stored = await this.#readVersion(last, last.version);
    if (stored?.integrity_chain !== last.integrity_chain) return;
    if (!entry || entry.version <= last.version) {
      const actual_chain = entry?.integrity_chain ?? null;
      this.#break(last, { version: last.version, reason: 'head_mismatch', actual_chain });
    } else if (!(await this.#readVersion(last, last.version + 1)))
      this.#break(last, { version: last.version + 1, reason: 'missing_version' });
  }

  /** Checks an entry without any version. */
  async #checkBare(place: EntryKey): Promise<void> {
    const entry = this.#heads.get(nameOf(place));
    if (!entry || (await this.#readVersion(place, entry.version))) return;
    this.#break(entry, { version: 1, reason: 'missing_version' });
  }

  #isHere(branch: string): boolean {
    return this.#view.lineage.some((span) => span.branch === branch);
  }

  #readVersion({ entity_path, key }: EntryKey, version: number): Promise<VersionRow | undefined> {
    return getVersion(this.#query, this.#view, { entity_path, key, version });
  }

  #isVisible(row: Pick<VersionRow, 'shared' | 'agent_id'>): boolean {
    return mayAgentSee(row, this.#view.agent_id);
  }

  #break(row: PreviousVersion, found: Pick<ChainBreak, 'version' | 'reason'> & Partial<ChainBreak>): void {
    const { entity_path, key, integrity_chain } = row;
    if (!this.#isVisible(row)) return;
    this.report.chain_breaks.push({ entity_path, key, expected_chain: integrity_chain, actual_chain: null, ...found });
  }

  #check(row: KeyedVersion, before: KeyedVersion | undefined): void {
    const { entity_path, key, version } = row;
    const content = parseVersion(row);
    const actual_hash = contentHash(content?.value ?? row.document);
    const intact = actual_hash === row.content_hash;
    if (!intact && this.#isVisible(row))
      this.report.corrupted.push({ entity_path, key, version, expected_hash: row.content_hash, actual_hash });
    const linked = content !== undefined && this.#checkLink(row, before, content);
    this.#sound = intact && linked;
    if (!this.#isVisible(row)) return;
    this.report.total_checked++;
    if (this.#sound) this.report.valid++;
  }

  #checkLink(row: KeyedVersion, before: KeyedVersion | undefined, content: ParsedVersion): boolean {
    // The first version of an entry gives it its number; on a branch it counts on from what was taken over.
    const isFirst = before === undefined && row.seq === row.entry_id;
    const next = isFirst && this.#view.lineage.length > 1 ? row.version : (before?.version ?? 0) + 1;
    const actual_chain = row.integrity_chain;
    if (row.version !== next) {
      this.#break(row, { version: next, reason: 'missing_version', expected_chain: null, actual_chain });
      return false;
    }
    const expected_chain = chainHash(before?.integrity_chain ?? '', row.content_hash, chained(content, content.origin));
    if (expected_chain === actual_chain && agree(row, content)) return true;
    this.#break(row, { version: row.version, reason: 'chain_mismatch', expected_chain, actual_chain });
    return false;
  }
}

/** The head equals its newest version; only its confidence may differ, because of outcomes, and it may be under quarantine. */
function isHeadOf(entry: EntryRow, version: VersionRow): boolean {
  const isHeld = isQuarantined(entry) && version.deleted === 0;
  const same = HEAD_COLUMNS.every((name) => entry[name] === version[name] || (name === 'deleted' && isHeld));
  const content = same ? parseVersion(version) : undefined;
  if (!content) return false;
  return (
    entry.memory_type === content.memory_type &&
    entry.pattern_refs === content.pattern_refs &&
    entry.is_artifact === content.is_artifact &&
    (entry.standing !== null || entry.confidence === version.confidence)
  );
}

const HEAD_COLUMNS = [
  'version',
  'seq',
  'deleted',
  'shared',
  'agent_id',
  'written_at',
  'ttl_at',
  'content_hash',
  'integrity_chain',
  'document',
] as const;

const MAX_ORPHANS = 1000;

type ParsedVersion = ReturnType<typeof fromDocument>;

/** Returns undefined for a document that is not valid JSON. */
function parseVersion(row: VersionRow): ParsedVersion | undefined {
  try {
    return fromDocument(row);
  } catch {
    return undefined;
  }
}

/** The columns of a version must match its document. */
function agree(row: KeyedVersion, { origin, shared, ttl_at }: ParsedVersion): boolean {
  return (
    row.entity_path === origin.entity_path &&
    row.key === origin.key &&
    row.version === origin.version &&
    row.agent_id === origin.agent_id &&
    row.written_at === origin.written_at &&
    row.commit_id === origin.commit_id &&
    row.shared === shared &&
    row.ttl_at === ttl_at
  );
}

import { hash } from 'node:crypto';
import { type Glob, matchesGlob } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import { branchOf, type EntryView, EVERYONE, isInScope, type Services } from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import {
  evidenceStatus,
  findStoodEntries,
  isLive,
  mayAgentSee,
  type StoodEntryFacts,
  standingOf,
} from '../entries/index.ts';
import { findLike, textOfValue } from '../recall/index.ts';
import * as queries from './queries.ts';
import { type ComparedEntry, LEAST_COSINE, strategyFor } from './rules/findings.ts';
import type { EntryPair } from './rules/plan.ts';
import { familyOf, saysMuch } from './rules/statements.ts';

/** Entries that share a mark, beyond which no more are remembered. */
export const MAX_MARKED = 20;
/** Entries that one is compared with by meaning. */
const MOST_LIKE = 12;
/** The same for a key with a scope, which may not see all of them. */
const MOST_LIKE_IN_SCOPE = 40;

export type Looked = {
  /** Live entries that the view shows. */
  entries: ComparedEntry[];
  pairs: EntryPair[];
  /** The marks of each entry that are to be remembered. */
  marks: { mark: number; entry_id: number }[];
  /** What was asked for and is gone or hidden now. */
  goneIds: number[];
};

export type LookOptions = { services: Services; query: Query; view: EntryView; paths: readonly Glob[] | undefined };

/** Loads entries and finds what belongs together with each of them, of what the view shows. */
export async function lookAt(options: LookOptions, ids: readonly number[]): Promise<Looked> {
  const { query, view } = options;
  const loaded = new Map<number, LoadedEntry>();
  await load(options, loaded, ids);
  const looked = ids.flatMap((id) => loaded.get(id) ?? []);
  const own = looked.flatMap(({ entry, marks }) => marks.map((mark) => ({ ...mark, entry_id: entry.entry_id })));
  const sought = looked.flatMap((one) => soughtBy(one).map((mark) => ({ ...mark, entry_id: one.entry.entry_id })));
  const stored = sought.length === 0 ? [] : await listMarkedBy(query, view.account_id, sought);
  const like = await findLikeEntries(options, looked);
  const near = [...like.values()].flat().map(({ entry_id }) => entry_id);
  await load(options, loaded, [...stored.map(({ entry_id }) => entry_id), ...near]);
  const byMark = await inTurns(pairsByMark(loaded, sought, [...own, ...stored]));
  const pairs = [...byMark, ...(await inTurns(pairsByMeaning(loaded, like)))];
  return {
    entries: looked.map(({ entry }) => entry),
    pairs: withoutRepeats(pairs),
    marks: ofRoomyMarks(own, stored),
    goneIds: ids.filter((id) => !loaded.has(id)),
  };
}

type LoadedEntry = { entry: ComparedEntry; facts: StoodEntryFacts; marks: SharedMark[] };

/** Entries that are loaded with one statement: each may have some kilobytes. */
const LOADED_AT_ONCE = 100;

async function load(
  { query, view, paths }: LookOptions,
  loaded: Map<number, LoadedEntry>,
  ids: readonly number[],
): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => !loaded.has(id));
  for (let from = 0; from < missing.length; from += LOADED_AT_ONCE)
    for (const facts of await findStoodEntries(query, view.account_id, missing.slice(from, from + LOADED_AT_ONCE))) {
      await pause();
      if (!facts || !isShown(view, facts) || !isAt(paths, facts.entity_path)) continue;
      const entry = toCompared(facts);
      loaded.set(facts.entry_id, { entry, facts, marks: marksOf(entry) });
    }
}

const isAt = (paths: readonly Glob[] | undefined, path: string): boolean =>
  paths === undefined || paths.some((glob) => matchesGlob(glob, path));

/** What expires by itself is left alone, and so are files, which are alike by nature. */
const isShown = (view: EntryView, facts: StoodEntryFacts): boolean =>
  facts.branch === branchOf(view) &&
  isLive(facts, view.at) &&
  mayAgentSee(facts, view.agent_id) &&
  isInScope(view.scope, facts.entity_path) &&
  facts.ttl_at === null &&
  facts.is_artifact === 0;

function toCompared(facts: StoodEntryFacts): ComparedEntry {
  const standing = standingOf(facts);
  const { entry_id, entity_path, key, version, seq, agent_id, shared, memory_type, content_hash } = facts;
  const { confidence, recall_count, document } = facts;
  return {
    ...{ entry_id, entity_path, key, version, seq, agent_id, shared, memory_type, content_hash },
    ...{ confidence, recall_count },
    evidence_status: evidenceStatus(standing, confidence),
    outcome_count: standing.outcome_count,
    is_touched: facts.standing !== null,
    text: document === null ? undefined : textOfValue((JSON.parse(document) as { value: unknown }).value),
  };
}

type SharedMark = { mark: number; by: 'value' | 'name' };

/** Who alone may see an entry; nobody where it is shared. */
const ownerOf = ({ shared, agent_id }: ComparedEntry): string => (shared === 1 ? EVERYONE : agent_id);

/**
 * Numbers that entries with the same value, or with names of one family, have in common. Those that an agent alone may see have
 * numbers of their own, so that they never take the room of others.
 */
function marksOf(entry: ComparedEntry, owner = ownerOf(entry)): SharedMark[] {
  const { content_hash, entity_path, key, text } = entry;
  if (text === undefined) return [];
  const family = familyOf(key);
  const marks = [
    ...(saysMuch(text) ? [{ by: 'value' as const, of: content_hash }] : []),
    ...(family === '' ? [] : [{ by: 'name' as const, of: `${entity_path}\n${family}` }]),
  ];
  return marks.map(({ by, of }) => ({ mark: markOf(by, `${owner}\n${of}`), by }));
}

/** The marks of what an entry may be compared with: a private one also with what is shared. */
const soughtBy = ({ entry, marks }: LoadedEntry): SharedMark[] =>
  entry.shared === 1 ? marks : [...marks, ...marksOf(entry, EVERYONE)];

/** 48 bits: it names nobody, and a rare collision is found when the entries are compared. */
const markOf = (by: string, text: string): number =>
  Number.parseInt(hash('sha256', `${by}\n${text}`, 'hex').slice(0, 12), 16);

type OwnMark = SharedMark & { entry_id: number };
type StoredMark = { mark: number; entry_id: number };

function listMarkedBy(query: Query, accountId: string, sought: readonly OwnMark[]): Promise<StoredMark[]> {
  const marks = [...new Set(sought.map(({ mark }) => mark))];
  return queries.listMarked(query, accountId, { marks, most: marks.length * (MAX_MARKED + 1) });
}

/** Only what the view shows counts towards the limit. */
function* pairsByMark(
  loaded: ReadonlyMap<number, LoadedEntry>,
  sought: readonly OwnMark[],
  marked: readonly StoredMark[],
): Generator<void, EntryPair[]> {
  const byMark = new Map<number, Set<number>>();
  // A remembered mark may be that of an earlier version.
  for (const { mark, entry_id } of marked)
    if (loaded.get(entry_id)?.marks.some((one) => one.mark === mark))
      byMark.set(mark, (byMark.get(mark) ?? new Set<number>()).add(entry_id));
  const pairs: EntryPair[] = [];
  for (const { mark, by, entry_id } of sought) {
    yield;
    for (const other of [...(byMark.get(mark) ?? [])].slice(0, MAX_MARKED)) {
      const pair = pairOf(loaded, [entry_id, other], { by, cosine: 1 });
      if (pair) pairs.push(pair);
    }
  }
  return pairs;
}

type LikeEntries = ReadonlyMap<number, readonly { entry_id: number; seq: number; cosine: number }[]>;

async function findLikeEntries(
  { services, query, view }: LookOptions,
  looked: readonly LoadedEntry[],
): Promise<LikeEntries> {
  const texts = looked.flatMap(({ entry, facts: { document } }) =>
    document !== null && entry.text !== undefined && saysMuch(entry.text)
      ? [{ entry_id: entry.entry_id, seq: entry.seq, document }]
      : [],
  );
  if (texts.length === 0) return new Map();
  const most = view.scope === undefined ? MOST_LIKE : MOST_LIKE_IN_SCOPE;
  const like = await findLike(services, { query, view, texts, least: LEAST_COSINE, most });
  return like ?? new Map();
}

function* pairsByMeaning(loaded: ReadonlyMap<number, LoadedEntry>, like: LikeEntries): Generator<void, EntryPair[]> {
  const pairs: EntryPair[] = [];
  for (const [entry_id, others] of like) {
    const shown = others.filter((other) => loaded.has(other.entry_id));
    const nearest = shown.sort((a, b) => b.cosine - a.cosine || a.entry_id - b.entry_id).slice(0, MOST_LIKE);
    for (const { entry_id: other, seq, cosine } of nearest) {
      yield;
      const pair = pairOf(loaded, [entry_id, other], { by: 'meaning', cosine });
      if (pair && pair.other.seq === seq) pairs.push(pair);
    }
  }
  return pairs;
}

/** What is shared is compared with what is shared: otherwise others could learn of what they may not see. */
function pairOf(
  loaded: ReadonlyMap<number, LoadedEntry>,
  [id, otherId]: readonly [number, number],
  likeness: { by: 'value' | 'name' | 'meaning'; cosine: number },
): EntryPair | undefined {
  const [one, other] = [loaded.get(id)?.entry, loaded.get(otherId)?.entry];
  if (!one || !other || one === other || (one.shared === 1 && other.shared === 0)) return undefined;
  const strategy = strategyFor(one, other, likeness);
  return strategy && { one, other, strategy, cosine: likeness.cosine };
}

function withoutRepeats(pairs: readonly EntryPair[]): EntryPair[] {
  const byName = new Map(
    pairs.map((pair) => {
      const [a, b] = [pair.one.entry_id, pair.other.entry_id];
      return [`${pair.strategy} ${Math.min(a, b)} ${Math.max(a, b)}`, pair];
    }),
  );
  return [...byName.values()];
}

function ofRoomyMarks(own: readonly OwnMark[], stored: readonly StoredMark[]): StoredMark[] {
  const sizes = new Map<number, number>();
  for (const { mark } of stored) sizes.set(mark, (sizes.get(mark) ?? 0) + 1);
  return own.flatMap(({ mark, entry_id }) => {
    const size = sizes.get(mark) ?? 0;
    sizes.set(mark, size + 1);
    return size < MAX_MARKED ? [{ mark, entry_id }] : [];
  });
}

import {
  bytesOfTexts,
  type ComparedRow,
  cursorsOf,
  type Glob,
  inTurns,
  isInScope,
  JsonText,
  listChangedHeads,
  matchesGlob,
  mayAgentSee,
  type Output,
  pageBytes,
  parseGlob,
  type ReadContext,
  reads,
  startWithin,
  toIso,
} from '@mem-service/server/module';
import { endOf, type MergeEnd, mergeBase, toState } from './ends.ts';
import { type Content, Contents, loadRows, type MergedName, nameText } from './load.ts';
import type { JsonDifference, JsonSteps } from './rules/json.ts';
import { fieldDifferences, sameStates } from './rules/states.ts';
import { type WriteWindow, windowsBetween } from './rules/windows.ts';

type Page = { entity_path?: string | undefined; limit: number; cursor?: string | undefined };
type DiffAnswer = Output<'branches.compare'>;
type DiffItem = DiffAnswer['entries'][number];

/** How many entries a page looks at before it ends early, and how many at once. */
const MAX_LOOKED_AT = 5000;
const LOOKED_AT_ONCE = 250;
/** Entries whose contents are loaded at once. */
const LOADED_AT_ONCE = 100;

/** The window that is looked through, and the place in it. */
const cursors = cursorsOf('diff', ['number', 'number']);

const diff = reads<'branches.diff'>(async (context, { name, against, ...page }) => {
  const refs = { account_id: context.caller.account_id, read: context.read };
  const [to, other] = [await endOf(refs, name), await endOf(refs, against)];
  return compareStates(context, { from: await mergeBase(refs, to, other), to }, page);
});

const compare = reads<'branches.compare'>(async (context, { from, to, ...page }) => {
  const refs = { account_id: context.caller.account_id, read: context.read };
  return compareStates(context, { from: await endOf(refs, from), to: await endOf(refs, to) }, page);
});

type ComparedStates = { from: MergeEnd; to: MergeEnd };

/** A page of what differs between two states, in the order in which it was written, branch by branch. */
async function compareStates(context: ReadContext, { from, to }: ComparedStates, page: Page): Promise<DiffAnswer> {
  const windows = windowsBetween(from.lineage, to.lineage);
  const glob = page.entity_path === undefined ? undefined : (parseGlob(page.entity_path) as Glob);
  const [start, after] = page.cursor === undefined ? [0, 0] : cursors.from(page.cursor);
  const found = new DiffPage(page.limit, pageBytes(context.services));
  let place: [number, number] | undefined = [start, after];
  let looked = 0;
  while (place && !found.isFull && looked < MAX_LOOKED_AT) {
    const batch = await nextNames(context, windows, place);
    looked += LOOKED_AT_ONCE;
    const names = batch.names.filter(({ entity_path }) => !glob || matchesGlob(glob, entity_path));
    const last = await addDifferences(context, { from, to }, { names, found });
    place = last ? [last.window, last.seq] : batch.next;
  }
  const next_cursor = place ? cursors.to(place) : null;
  const { entries, hidden } = found;
  return { from: toState(from), to: toState(to), entries, hidden, next_cursor, has_more: place !== undefined };
}

class DiffPage {
  readonly entries: DiffItem[] = [];
  hidden = 0;
  readonly #limit: number;
  #bytes: number;

  constructor(limit: number, bytes: number) {
    this.#limit = limit;
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.entries.length >= this.#limit || this.#bytes <= 0;
  }

  get room(): number {
    return Math.max(0, this.#bytes);
  }

  /** Whether an item of this size is left for the next page; the first never is. */
  leaves(bytes: number): boolean {
    return this.entries.length > 0 && bytes > this.#bytes;
  }

  add(item: DiffItem, bytes: number): void {
    this.entries.push(item);
    this.#bytes -= bytes;
  }
}

type PlacedName = MergedName & { window: number; seq: number };
type NameBatch = { names: PlacedName[]; next: [number, number] | undefined };

/** The next names that were written in one of the windows, without those that an earlier window has. */
async function nextNames(
  context: ReadContext,
  windows: readonly WriteWindow[],
  [window, seq]: [number, number],
): Promise<NameBatch> {
  const part = windows[window];
  if (!part) return { names: [], next: undefined };
  const { account_id } = context.caller;
  const limit = LOOKED_AT_ONCE;
  const after = Math.max(seq, part.after);
  const heads = await listChangedHeads(context.scan, { account_id, branch: part.branch, after, limit });
  const last = heads.at(-1);
  const isEnd = heads.length < limit;
  const next: NameBatch['next'] =
    !isEnd && last ? [window, last.seq] : window + 1 < windows.length ? [window + 1, 0] : undefined;
  const names = heads
    .filter(({ entry_id }) => part.up_to === null || entry_id <= part.up_to)
    .map(({ entity_path, key, seq }) => ({ entity_path, key, window, seq }));
  return { names: await withoutEarlier(context, names, windows.slice(0, window)), next };
}

async function withoutEarlier(
  { scan, view }: ReadContext,
  names: readonly PlacedName[],
  earlier: readonly WriteWindow[],
): Promise<PlacedName[]> {
  let left = [...names];
  for (const { branch, after, up_to } of earlier) {
    const lineage = [{ branch, up_to_seq: null }];
    const rows = await loadRows(scan, { ...view, lineage, scope: undefined }, left);
    left = left.filter((name) => {
      const row = rows.get(nameText(name));
      return !row || row.seq <= after || (up_to !== null && row.entry_id > up_to);
    });
  }
  return left;
}

type ChangedEntry = { at: PlacedName; rows: Both<ComparedRow>; bytes: number };

/** Adds what differs to the page. Returns the place after which the next page begins, where the page is full before the end. */
async function addDifferences(
  context: ReadContext,
  { from, to }: ComparedStates,
  { names, found }: { names: readonly PlacedName[]; found: DiffPage },
): Promise<PlacedName | undefined> {
  const { view, scan } = context;
  const of = (lineage: MergeEnd['lineage']) => loadRows(scan, { ...view, lineage, scope: undefined }, names);
  const [before, after] = [await of(from.lineage), await of(to.lineage)];
  const changed = names.flatMap((at): ChangedEntry[] => {
    const rows = { from: before.get(nameText(at)), to: after.get(nameText(at)) };
    if (rows.from?.entry_id === rows.to?.entry_id && rows.from?.version === rows.to?.version) return [];
    return [{ at, rows, bytes: (rows.from?.document_bytes ?? 0) + (rows.to?.document_bytes ?? 0) }];
  });
  let previous: PlacedName | undefined;
  while (changed.length > 0) {
    const some = startWithin(changed.slice(0, LOADED_AT_ONCE), found.room, ({ bytes }) => bytes);
    const contents = new Contents(scan, view);
    await contents.load(
      some.flatMap(({ rows }) => [rows.from, rows.to]),
      true,
    );
    for (const { at, rows, bytes } of some) {
      if (found.isFull || found.leaves(bytes)) return previous ?? { ...at, seq: at.seq - 1 };
      await inTurns(addDifference(context, { at, rows, bytes }, { contents, found }));
      previous = at;
    }
    changed.splice(0, some.length);
  }
  return undefined;
}

function* addDifference(
  { caller, view }: ReadContext,
  { at, rows, bytes }: ChangedEntry,
  { contents, found }: { contents: Contents; found: DiffPage },
): JsonSteps<void> {
  const both = { from: contents.of(rows.from), to: contents.of(rows.to) };
  if (yield* sameStates(both.from?.state, both.to?.state)) return;
  const isSeen =
    isInScope(caller.key?.read, at.entity_path) &&
    [rows.from, rows.to].every((row) => !row || mayAgentSee(row, view.agent_id));
  if (isSeen) found.add(yield* toItem(at, rows, { both, contents }), bytes + bytesOfTexts([at.entity_path, at.key]));
  else found.hidden++;
}

const CHANGES_PER_STEP = 1000;

type Both<T> = { from: T | undefined; to: T | undefined };

type DiffContents = { both: Both<Content>; contents: Contents };

function* toItem(
  { entity_path, key }: MergedName,
  rows: Both<ComparedRow>,
  { both, contents }: DiffContents,
): JsonSteps<DiffItem> {
  const diff_type = !both.from ? 'added' : both.to ? 'modified' : 'deleted';
  const differences = diff_type === 'modified' ? yield* fieldDifferences(both.from?.state, both.to?.state) : [];
  const changes: DiffItem['changes'] = [];
  for (const difference of differences) {
    changes.push(toChange(difference));
    if (changes.length % CHANGES_PER_STEP === 0) yield;
  }
  const side = (row: ComparedRow | undefined, content: Content | undefined) =>
    toSide(row, content) ?? toDeletion(row, contents.deletionOf(row));
  return { entity_path, key, diff_type, from: side(rows.from, both.from), to: side(rows.to, both.to), changes };
}

const iso = (time: number | null) => (time === null ? null : toIso(time));

type SideRow = Pick<ComparedRow, 'branch' | 'version' | 'confidence' | 'memory_type' | 'shared' | 'ttl_at' | 'seq'>;

export function toSide(row: SideRow | undefined, content: Content | undefined): DiffItem['from'] {
  if (!row || !content) return null;
  const { agent_id, session_id, written_at } = content.origin;
  return {
    branch: row.branch,
    version: row.version,
    value: new JsonText(content.value),
    confidence: row.confidence,
    memory_type: row.memory_type as 'fact',
    shared: row.shared === 1,
    ...{ agent_id, session_id },
    written_at: toIso(written_at),
    ttl_at: iso(row.ttl_at),
    seq: row.seq,
  };
}

/** Who deleted an entry, when and in which session. */
export function toDeletion(row: SideRow | undefined, content: Content | undefined): DiffItem['from'] {
  const side = toSide(row, content);
  if (!side) return null;
  const { value: _, ...rest } = side;
  return { ...rest, deleted: true };
}

function toChange({ path, from, to }: JsonDifference): DiffItem['changes'][number] {
  const [old_value, new_value] =
    path === '/ttl_at' ? [from, to].map((at) => iso((at ?? null) as number | null)) : [from, to];
  if (from === undefined) return { path, operation: 'add', new_value };
  if (to === undefined) return { path, operation: 'remove', old_value };
  return { path, operation: 'replace', old_value, new_value };
}

export const diffHandlers = { 'branches.diff': diff, 'branches.compare': compare };

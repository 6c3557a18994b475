import {
  type ComparedRow,
  type EntryView,
  Fault,
  inTurns,
  isInScope,
  isLive,
  isQuarantined,
  type Lineage,
  mayAgentSee,
  pause,
  type Query,
  type Scope,
} from '@mem-service/server/module';
import { MAX_MERGED_BYTES, MAX_MERGED_ENTRIES } from './limits.ts';
import { type Content, Contents, loadRows, type MergedName, nameText } from './load.ts';
import type { JsonSteps, Three } from './rules/json.ts';
import { guardPrivate } from './rules/privacy.ts';
import {
  type Detection,
  type MergeChoice,
  type MergedState,
  mergeStates,
  preferredSide,
  sameStates,
} from './rules/states.ts';
import { type MergeStrategy, preferredBy } from './rules/strategy.ts';

export type Rows = Three<ComparedRow | undefined>;

/** What a merge does with one entry. */
export type PlannedEntry = {
  at: MergedName;
  rows: Rows;
  contents: Three<Content | undefined>;
  merged: MergedState;
  /** Whether the caller may see it on all sides. */
  isSeen: boolean;
  /** Whether the target has changed it in another way than the source. */
  hasMoved: boolean;
};

export const isOpen = ({ merged }: PlannedEntry): boolean => merged.kind === 'conflict';

export type MergePlan = { entries: PlannedEntry[]; hidden: number };

type Lineages = Three<Lineage>;
type HowToMerge = { strategy: MergeStrategy; detection: Detection };

/** Reads on behalf of an agent, within a transaction or beside one. */
export type PlanReader = { query: Query; view: EntryView };

const tooLarge = (message: string, detail: Record<string, unknown>): Fault =>
  new Fault('merge_too_large', message, detail);

export const tooManyEntries = (): Fault =>
  tooLarge(`more than ${MAX_MERGED_ENTRIES} entries would be changed at once`, { max_entries: MAX_MERGED_ENTRIES });

/** Decides what a merge does with each of these names. Entries that the source has not changed are left out. */
export async function planMerge(
  reader: PlanReader,
  { names, lineages, how }: { names: readonly MergedName[]; lineages: Lineages; how: HowToMerge },
): Promise<MergePlan> {
  if (names.length > MAX_MERGED_ENTRIES) throw tooManyEntries();
  const { query, view } = reader;
  const of = (lineage: Lineage) => loadRows(query, { ...view, lineage, scope: undefined }, names);
  const [base, source, target] = [await of(lineages.base), await of(lineages.source), await of(lineages.target)];
  const touched = names.flatMap((at): { at: MergedName; rows: Rows }[] => {
    const name = nameText(at);
    const rows = { base: base.get(name), source: source.get(name), target: target.get(name) };
    return isSameRow(rows.base, rows.source) || isQuarantined(rows.source) ? [] : [{ at, rows }];
  });
  await pause();
  requireReleased(touched.map(({ rows }) => rows.target));
  requireBytes(touched.map(({ rows }) => rows.source));
  const contents = new Contents(query, view);
  await contents.load(touched.flatMap(({ rows }) => [rows.source, rows.base, rows.target]));
  const entries: PlannedEntry[] = [];
  for (const { at, rows } of touched) {
    const planned = await inTurns(planEntry(at, rows, { contents, how, view }));
    if (planned) entries.push(planned);
  }
  return { entries, hidden: entries.filter(({ isSeen }) => !isSeen).length };
}

function requireReleased(targets: readonly (ComparedRow | undefined)[]): void {
  const quarantined = targets.filter(isQuarantined).length;
  if (quarantined > 0)
    throw new Fault('entry_quarantined', `${quarantined} of the entries are under quarantine in the target`, {
      quarantined,
    });
}

function requireBytes(rows: readonly (ComparedRow | undefined)[]): void {
  const bytes = rows.reduce((sum, row) => sum + (row?.document_bytes ?? 0), 0);
  if (bytes > MAX_MERGED_BYTES) throw tooManyBytes(bytes);
}

export const tooManyBytes = (bytes: number): Fault =>
  tooLarge(`the entries that would be changed have ${bytes} bytes, more than ${MAX_MERGED_BYTES}`, {
    max_bytes: MAX_MERGED_BYTES,
  });

const isSameRow = (one: ComparedRow | undefined, other: ComparedRow | undefined): boolean =>
  one?.entry_id === other?.entry_id && one?.version === other?.version;

/** Whether it is there, and only another agent may see it. */
export const isUnseen = (row: ComparedRow | undefined, { agent_id, at }: EntryView): boolean =>
  isLive(row, at) && !mayAgentSee(row, agent_id);

type Planning = { contents: Contents; how: HowToMerge; view: EntryView };

function* planEntry(
  at: MergedName,
  rows: Rows,
  { contents, how, view }: Planning,
): JsonSteps<PlannedEntry | undefined> {
  const found = { base: contents.of(rows.base), source: contents.of(rows.source), target: contents.of(rows.target) };
  const states = { base: found.base?.state, source: found.source?.state, target: found.target?.state };
  if (yield* sameStates(states.base, states.source)) return undefined;
  const newest = (rows.source?.written_at ?? 0) > (rows.target?.written_at ?? 0) ? 'source' : 'target';
  const choice: MergeChoice = { detection: how.detection, prefer: preferredBy(how.strategy), newest };
  const isAsBefore = yield* sameStates(states.base, states.target);
  const merged = yield* guardPrivate({
    ...{ states, merged: yield* mergeStates(states, choice), prefer: preferredSide(choice) },
    unseen: { source: isUnseen(rows.source, view), target: isUnseen(rows.target, view) },
    isKept: isAsBefore && rows.base?.agent_id === rows.target?.agent_id,
  });
  const isUnmoved = isAsBefore || (yield* sameStates(states.source, states.target));
  const isSeen = [rows.base, rows.source, rows.target].every((row) => !row || mayAgentSee(row, view.agent_id));
  return { at, rows, contents: found, merged, isSeen, hasMoved: !isUnmoved };
}

/** Refuses a merge of which a part is outside what a key may read or write, without naming it. */
export function requireScope(
  entries: readonly { at: MergedName }[],
  { read, write }: { read: Scope | undefined; write: Scope | undefined },
): void {
  const outside = entries.filter(
    ({ at }) => !isInScope(read, at.entity_path) || !isInScope(write, at.entity_path),
  ).length;
  if (outside > 0)
    throw new Fault('forbidden', `${outside} of the entries are outside the scope of this key`, {
      outside_scope: outside,
    });
}

/** What an entry becomes in the target. */
export function kindOfChange(
  { rows, merged }: PlannedEntry,
  now: number,
): 'added' | 'modified' | 'deleted' | undefined {
  if (merged.kind === 'target' || merged.kind === 'conflict') return undefined;
  const isDeleted = merged.kind === 'deleted' || (merged.kind === 'source' && !isLive(rows.source, now));
  if (isDeleted) return isLive(rows.target, now) ? 'deleted' : undefined;
  return isLive(rows.target, now) ? 'modified' : 'added';
}

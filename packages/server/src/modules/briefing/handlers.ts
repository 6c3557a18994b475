import { briefingSections, type Output } from '@mem-service/contract';
import {
  type EntryView,
  type Handlers,
  MAIN_BRANCH,
  noteQuery,
  type ReadContext,
  reads,
  toIso,
} from '../../kernel/index.ts';
import { findNotice } from '../consolidation/index.ts';
import { countPaths } from '../counts/index.ts';
import { type AskedBriefing, askedOf, type BriefingInput, sessionsOf } from './asked.ts';
import { findChanges } from './changes.ts';
import { briefDigest, findDigests } from './digests.ts';
import { findKnown, type KnownEntries } from './known-entries.ts';
import type { BriefedRow } from './queries.ts';
import { Anticipation } from './rules/anticipation.ts';
import { fillSections } from './rules/budget.ts';
import { nextSteps } from './rules/next-steps.ts';
import { type LessonRow, replacementsOf } from './rules/replaced.ts';
import { loadValues } from './show.ts';
import { findTries } from './tries.ts';
import { whoToAsk } from './who-to-ask.ts';

export type BriefingAnswer = Output<'briefing.read'>;
type FoundSections = Record<string, readonly unknown[]> & { digests: readonly { digest_type: string }[] };

/** Paths that were read last; entries there come first in a briefing about everything. */
const MAX_PREFERRED = 40;
/** As many paths are counted; with more, the chance of one that was never read is next to nothing anyway. */
const MAX_COUNTED_PATHS = 500;

const read = reads<'briefing.read'>(async (context, input) => {
  const [asked, paths] = await Promise.all([
    askedOf(context, input),
    countPaths(context.scan, rootOf(context.view), MAX_COUNTED_PATHS),
  ]);
  const anticipation = new Anticipation(sessionsOf(asked.visits), paths);
  const chances = chancesOf(asked, anticipation);
  const [known, changes] = await Promise.all([
    findKnown(context, asked, (path) => chances.get(path) ?? 0),
    findChanges(context, asked),
  ]);
  const [tried_here, digests, entries, consolidation_notice] = await Promise.all([
    findTries(context, known.tested),
    findDigests(context, asked, { known, anticipation }),
    showEntries(context, input, { known, changes }),
    findNotice(context, asked.paths),
  ]);
  const sections = {
    ...entries,
    tried_here,
    who_to_ask: whoToAsk(known.supported, asked.agent_id),
    digests: digests.slice(0, input.compact ? 1 : input.limit).map((digest) => briefDigest(digest, input.compact)),
  };
  const filled = fillSections(sections, briefingSections, input.max_tokens ?? Number.POSITIVE_INFINITY);
  noteShown(context, input, [...known.validated, ...known.discredited, ...known.procedures, ...changes]);
  return {
    ...filled.sections,
    total: digests.length,
    agent_id: asked.agent_id,
    last_visit: asked.lastVisit ? { at: toIso(asked.lastVisit.read_at) } : null,
    consolidation_notice,
    next_steps: nextSteps({
      path: asked.path,
      isEmpty: isEmpty({ ...sections, digests }, asked),
      isFirstVisit: asked.lastVisit === undefined,
      isTested: known.tested.length > 0,
    }),
    left_out: filled.left_out,
    tokens: filled.tokens,
  };
});

/** A branch has about as many paths as the one that it was made from. */
const rootOf = (view: EntryView): EntryView => ({
  ...view,
  lineage: [{ branch: view.lineage.at(-1)?.branch ?? MAIN_BRANCH, up_to_seq: null }],
});

/** What is known of the agent itself says nothing about a path. */
function isEmpty({ digests, ...others }: FoundSections, { path }: AskedBriefing): boolean {
  const about = path === undefined ? digests : digests.filter(({ digest_type }) => digest_type !== 'agent_brief');
  return [about, ...Object.values(others)].every((items) => items.length === 0);
}

/** The chance that the agent reads at a path next, for each that it read; entries of other paths are not preferred. */
function chancesOf({ visits, path }: AskedBriefing, anticipation: Anticipation): ReadonlyMap<string, number> {
  if (path !== undefined) return new Map();
  const paths = [...new Set(visits.map(({ entity_path }) => entity_path))].slice(0, MAX_PREFERRED);
  return new Map(paths.map((one) => [one, anticipation.chanceOf([one])]));
}

async function showEntries(
  context: ReadContext,
  { compact }: BriefingInput,
  { known, changes }: { known: KnownEntries; changes: readonly BriefedRow[] },
) {
  const { validated, discredited, procedures, lessons } = known;
  const paths = new Set(discredited.map(({ entity_path }) => entity_path));
  const lessonsThere = lessons.filter(({ entity_path }) => paths.has(entity_path));
  const { show, rawValueOf } = await loadValues(
    context,
    [...validated, ...discredited, ...procedures, ...changes, ...lessonsThere],
    compact,
  );
  const learnt = lessonsThere.map((row) => ({ ...row, value: rawValueOf(row) as LessonRow['value'] }));
  return {
    validated: validated.map(show),
    discredited: discredited.map((row) => ({
      ...show(row),
      replaced_by: replacementsOf(row, { lessons: learnt, supported: known.supported }),
    })),
    procedures: procedures.map(show),
    changed: changes.map((row) => ({ ...show(row), change: changeOf(row) })),
  };
}

function changeOf({ deleted, version }: BriefedRow): 'created' | 'updated' | 'deleted' {
  if (deleted === 1) return 'deleted';
  return version === 1 ? 'created' : 'updated';
}

/** Nothing counts as recalled; what helped can be named in the outcome. */
function noteShown(context: ReadContext, input: BriefingInput, rows: readonly BriefedRow[]): void {
  const shown = [...new Map(rows.map((row) => [row.entry_id, row])).values()];
  const isPrivate = shown.some(({ shared }) => shared === 0);
  noteQuery(context, 'briefing', { input, result_count: shown.length, isPrivate, shown });
}

export const handlers: Handlers = { 'briefing.read': read };

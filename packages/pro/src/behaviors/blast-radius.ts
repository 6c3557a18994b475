import {
  behaviorShapes,
  type Handlers,
  MAX_SEGMENTED_RUNS,
  type Output,
  pause,
  type ReadContext,
  reads,
  sessionIdOf,
  toIso,
  toIsoOrNull,
} from '@mem-service/server/module';
import { roundUsd, sumUsd, wilson } from '../evaluation/index.ts';
import { collectMatched, collectRuns, hasFailed, readsOfRuns, type TracedRun } from '../segments/index.ts';
import { loadFacets } from '../trace-navigation/index.ts';
import { requireBehavior } from './render.ts';
import { countNames, growthOf, harmOf, type SoughtRun } from './rules/radius.ts';

type BlastRadius = Output<'behaviors.blast_radius'>;

const SHOWN = 20;
const FACETS_AT_ONCE = 250;
/** Reads of all traces together whose paths are counted. */
const MAX_READS = 50_000;

const measure = reads<'behaviors.blast_radius'>(async (context, input): Promise<BlastRadius> => {
  const { read, caller } = context;
  const { behavior_id, agent_id, since, until } = input;
  const { version } = await requireBehavior(read, caller.account_id, behavior_id);
  const asked = { behavior_id, agent_id, since, until };
  const looked = await collectRuns(context, asked, MAX_SEGMENTED_RUNS);
  const matched = await collectMatched(context, asked, behaviorShapes.MAX_MEASURED);
  const sought = looked.runs.flatMap(({ failed, outcome_type, created_at }): SoughtRun[] =>
    failed === null ? [] : [{ has_it: failed, failed: hasFailed(outcome_type), created_at }],
  );
  const paths = await pathsOf(context, matched.runs);
  const cost = await costOf(context, matched.runs);
  return {
    ...{ behavior_id, version },
    traces: wilson(sought.filter(({ has_it }) => has_it).length, sought.length),
    ...extentOf(matched.runs),
    paths: paths.counted.slice(0, SHOWN).map(({ name, traces }) => ({ entity_path: name, traces })),
    path_count: paths.counted.length,
    fails: harmOf(sought),
    cost: cost.cost,
    growth: shownGrowth(sought.toReversed()),
    looked_at: looked.runs.length,
    complete: looked.isAll && matched.isAll && paths.isAll && cost.isAll,
  };
});

/** A trace without a session id is a session of its own. */
const sessionOf = ({ agent_id, session, seq }: TracedRun): string =>
  JSON.stringify([agent_id, sessionIdOf(session) === null ? seq : session]);

function extentOf(runs: readonly TracedRun[]) {
  const agents = countNames(runs.map(({ agent_id }) => [agent_id]));
  const outcomes = countNames(runs.map(({ outcome_type }) => [outcome_type]));
  return {
    matched: runs.length,
    sessions: new Set(runs.map(sessionOf)).size,
    agents: agents.slice(0, SHOWN).map(({ name, traces }) => ({ agent_id: name, traces })),
    agent_count: agents.length,
    outcomes: outcomes.map(({ name, traces }) => ({ outcome_type: name, traces })),
    first_at: toIsoOrNull(runs.at(-1)?.created_at ?? null),
    last_at: toIsoOrNull(runs[0]?.created_at ?? null),
  };
}

function shownGrowth(runs: readonly SoughtRun[]): BlastRadius['growth'] {
  const { later_since, ...growth } = growthOf(runs);
  return { ...growth, later_since: later_since === null ? null : toIso(later_since) };
}

/** In how many of the traces each path was read, as far as the caller may see that. */
async function pathsOf(context: ReadContext, runs: readonly TracedRun[]) {
  const seqs = runs.map(({ seq }) => seq);
  const { parts, done } = await readsOfRuns(context, seqs, MAX_READS);
  const ofRun = new Map<number, Set<string>>();
  for (const { seq, entity_path } of parts) {
    const known = ofRun.get(seq) ?? new Set();
    ofRun.set(seq, known.add(entity_path));
  }
  await pause();
  return { counted: countNames([...ofRun.values()]), isAll: done === seqs.length };
}

async function costOf({ scan, dialect, caller }: ReadContext, runs: readonly TracedRun[]) {
  const source = { query: scan, dialect, account_id: caller.account_id };
  /** A trace with a call that has no price cost more than is known: it counts in the sum, and not in the average. */
  const known: number[] = [];
  const whole: number[] = [];
  let found = 0;
  for (let at = 0; at < runs.length; at += FACETS_AT_ONCE) {
    const seqs = runs.slice(at, at + FACETS_AT_ONCE).map(({ seq }) => seq);
    const facets = await loadFacets(source, seqs);
    found += facets.size;
    for (const { known_cost_usd, cost_usd } of facets.values()) {
      if (known_cost_usd !== null) known.push(known_cost_usd);
      if (cost_usd !== null) whole.push(cost_usd);
    }
    await pause();
  }
  const total_usd = known.length === 0 ? null : sumUsd(known);
  const average_usd = whole.length === 0 ? null : roundUsd(sumUsd(whole) / whole.length);
  return { cost: { total_usd, known: whole.length, average_usd }, isAll: found === runs.length };
}

export const radiusHandlers: Handlers = { 'behaviors.blast_radius': measure };

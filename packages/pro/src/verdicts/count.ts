import {
  type Consumer,
  type ConsumerContext,
  countVerdicts,
  findReadSets,
  findTraces,
  type Lineage,
  type LogEvent,
  MAIN_BRANCH,
  MAIN_LINEAGE,
  type ReadSet,
  SELF_CALLER,
  type TraceFacts,
  type WeighedVerdict,
  type Work,
} from '@mem-service/server/module';
import { getBranch, lineageOf } from '../branches/index.ts';
import { listWeights } from '../judges/index.ts';
import { type CountedVerdictRow, listCountable, listCounted, putCounted } from './counted-queries.ts';
import { findHumanVerdicts } from './queries.ts';
import { changesOfTrace, type VerdictChange } from './rules/counted.ts';
import { newestVersions } from './rules/newest-versions.ts';

/** So many traces are counted in one transaction. */
const TRACES_AT_ONCE = 20;
/** Each entry of a trace that read more would move by less than a hundredth. */
const MOST_READS = 500;

/**
 * Lets verdicts count as evidence about what their traces read, beside the writes. It compares what counts with the verdicts as they
 * are, so that a verdict counts once, however often it is reported, and a corrected one in place of the earlier.
 */
export const countJudged: Consumer = {
  name: 'verdicts.count',
  event_types: ['traces_judged', 'verdict_overruled'],
  starts_at: 'now',
  batch_size: 50,
  pause_seconds: 0.5,
  gives_way_seconds: 2,
  handle: countEvents,
};

const tracesIn = ({ details }: LogEvent): readonly number[] =>
  (JSON.parse(details) as { traces?: readonly number[] }).traces ?? [];

async function countEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel } = context;
  const { database } = kernel.services;
  const { read } = database.forAccount(account_id);
  const seqs = [...new Set(events.flatMap(tracesIn))].sort((a, b) => a - b);
  const weights = await listWeights(read, account_id);
  for (let i = 0; i < seqs.length; i += TRACES_AT_ONCE) {
    if (context.isStopping()) return;
    const some = seqs.slice(i, i + TRACES_AT_ONCE);
    const listed = database.dialect.numbers(some);
    if (weights.size === 0 && (await listCounted(read, { account_id, listed })).length === 0) continue;
    await context.step((work) => countTraces(work, some));
  }
}

type ChangedTrace = { facts: TraceFacts; set: ReadSet; n_causal: number; changes: VerdictChange[] };

async function countTraces(work: Work, seqs: readonly number[]): Promise<void> {
  const { tx, account_id, dialect } = work;
  await work.locked;
  const listed = dialect.numbers(seqs);
  const [weights, counted] = [await listWeights(tx, account_id), await listCounted(tx, { account_id, listed })];
  const judges = dialect.texts([...new Set([...weights.keys(), ...counted.map(({ judge_id }) => judge_id)])]);
  const found = newestVersions(await listCountable(tx, { account_id, listed, judges }));
  const changes = new Map(
    seqs.map((seq) => [
      seq,
      changesOfTrace(
        found.filter(({ trace_seq }) => trace_seq === seq),
        counted.filter(({ trace_seq }) => trace_seq === seq),
        weights,
      ),
    ]),
  );
  const changed = seqs.filter((seq) => (changes.get(seq) ?? []).length > 0);
  if (changed.length === 0) return;
  const sets = await findReadSets(tx, { account_id, seqs: changed, dialect, most: MOST_READS });
  const facts = await findTraces(tx, account_id, changed);
  const traces = changed.flatMap((seq, i): ChangedTrace[] => {
    const [set, of] = [sets.get(seq), facts[i]];
    const known = counted.find(({ trace_seq }) => trace_seq === seq);
    const n_causal =
      known?.n_causal ?? new Set(set?.reads.map(({ entity_path, key }) => `${entity_path}\n${key}`)).size;
    return set && of && n_causal > 0 ? [{ facts: of, set, n_causal, changes: changes.get(seq) ?? [] }] : [];
  });
  for (const group of groupsOf(traces)) await countGroup(work, group);
}

/** Those of one agent on one branch that the same may see. */
function groupsOf(traces: readonly ChangedTrace[]): ChangedTrace[][] {
  const groups = new Map<string, ChangedTrace[]>();
  for (const trace of traces) {
    const { agent_id, branch, visible_to } = trace.facts;
    const name = [agent_id, branch, visible_to].join('\n');
    groups.set(name, [...(groups.get(name) ?? []), trace]);
  }
  return [...groups.values()];
}

async function countGroup(work: Work, traces: readonly ChangedTrace[]): Promise<void> {
  const { tx, account_id } = work;
  const [{ facts }] = traces as [ChangedTrace];
  const { agent_id, branch, visible_to } = facts;
  const places = await placesFor(work, branch);
  const judged = await Promise.all(
    traces.map(async (trace) => ({ trace: trace.set, verdicts: await toVerdicts(work, trace) })),
  );
  for (const place of places) {
    const emit = (entries: number) =>
      work.emit({
        event_type: 'verdicts_counted',
        ...{ agent_id, branch: place.branch, visible_to, entity_path: null, key: null, version: null },
        details: { entries, traces: traces.map(({ set }) => set.seq) },
        actor_agent_id: SELF_CALLER.agent_id,
      });
    await countVerdicts(work, { ...place, agent_id, visible_to }, { judged, emit });
  }
  const rows = traces.flatMap(({ set, n_causal, changes }) =>
    changes.map(
      ({ judge_id, judge_version, verdict, weight }): CountedVerdictRow => ({
        ...{ account_id, trace_seq: set.seq, judge_id, judge_version, verdict, weight, n_causal, agent_id, visible_to },
      }),
    ),
  );
  work.send(tx.insertMany(putCounted, rows));
}

type CountedPlace = { branch: string; lineage: Lineage; isCopy: boolean };

/** The branch of a trace while it is open, and `main`, where a merge may have brought what counted. */
async function placesFor(work: Work, branch: string): Promise<CountedPlace[]> {
  const main = { branch: MAIN_BRANCH, lineage: MAIN_LINEAGE, isCopy: branch !== MAIN_BRANCH };
  if (branch === MAIN_BRANCH) return [main];
  const row = await getBranch(work.tx, work.account_id, branch);
  return row?.status === 'active' ? [{ branch, lineage: lineageOf(row), isCopy: false }, main] : [main];
}

async function toVerdicts(
  { tx, account_id }: Work,
  { set, n_causal, changes }: ChangedTrace,
): Promise<WeighedVerdict[]> {
  const human = await findHumanVerdicts(
    tx,
    account_id,
    changes.map(({ judge_id }) => ({ trace_seq: set.seq, judge_id })),
  );
  return changes.map(({ judge_id, judge_version, verdict, pass, fail }, i) => ({
    ...{ judge_id, judge_version, verdict, n_causal },
    overruled_by: human[i]?.agent_id ?? null,
    pass: pass / n_causal,
    fail: fail / n_causal,
  }));
}

import {
  EVERYONE,
  evidenceStatus,
  Fault,
  type Input,
  invalidInput,
  MAIN_BRANCH,
  MAX_ATTRIBUTED_RUNS,
  type ReadContext,
  requireTrace,
  standingOf,
} from '@mem-service/server/module';
import { ledgerOf, loadReadSets, versionIn, versionName } from '../attribution/index.ts';
import { requireBehavior } from '../behaviors/index.ts';
import { requireIncident } from '../incidents/index.ts';
import { requireJudge } from '../judges/index.ts';
import { collectRuns } from '../segments/index.ts';
import { findVerdicts, listResults, versionsIn } from '../verdicts/index.ts';
import { type BlamedVersion, blameByLedger, blameSuspects, explainedIn, LINES_OF_ONE, suspectsOf } from './blame.ts';
import type { FixRow } from './queries.ts';
import { outcomesOf, share, speakAgainst, speakFor, wordFor } from './rules/words.ts';
import { findSeen } from './seen-entries.ts';

export type ProposalInput = Input<'fixes.propose'>;

/** What a fix is proposed from: what fails, and the memory that is to blame. */
export type FixGround = Pick<
  FixRow,
  | 'source_kind'
  | 'source_id'
  | 'source_seq'
  | 'source_version'
  | 'judge_id'
  | 'behavior_id'
  | 'of_agent'
  | 'visible_to'
  | 'summary'
> & {
  blamed: readonly BlamedVersion[];
  /** Names of versions that are suspect too, and not restored. */
  suspects: ReadonlySet<string>;
};

type SourceField = 'trace_id' | 'judge_id' | 'behavior_id' | 'incident_id' | 'entity_path' | 'key' | 'version';

/** Something that a fix can be proposed from: which fields name it, and how what is to blame is found. */
type FixSource = {
  needs: readonly SourceField[];
  takes?: readonly SourceField[];
  find(context: ReadContext, input: ProposalInput): Promise<FixGround>;
};

const sources: readonly FixSource[] = [
  { needs: ['trace_id', 'judge_id'], find: fromVerdict },
  { needs: ['behavior_id'], find: fromBehavior },
  { needs: ['incident_id'], find: fromIncident },
  { needs: ['entity_path', 'key'], takes: ['version'], find: fromEntry },
];

export function groundOf(context: ReadContext, input: ProposalInput): Promise<FixGround> {
  const fields = sources.flatMap(({ needs, takes = [] }) => [...needs, ...takes]);
  const given = new Set(fields.filter((field) => input[field] !== undefined));
  const source = sources.find(({ needs }) => needs.every((field) => given.has(field)));
  if (!source)
    throw invalidInput([
      {
        path: 'trace_id',
        message: 'give trace_id and judge_id, or behavior_id, or incident_id, or entity_path and key',
      },
    ]);
  const own = new Set<SourceField>([...source.needs, ...(source.takes ?? [])]);
  const other = [...given].find((field) => !own.has(field));
  if (other !== undefined)
    throw invalidInput([{ path: other, message: `is given beside ${source.needs[0]}: give one source` }]);
  return source.find(context, input);
}

const onlyOfMain = (what: string, branch: string): Fault =>
  new Fault('conflict', `${what} is on the branch ${JSON.stringify(branch)}: a fix corrects ${MAIN_BRANCH}`, {
    branch,
  });

async function fromVerdict(context: ReadContext, input: ProposalInput): Promise<FixGround> {
  const { read, scan, caller, services } = context;
  const { account_id } = caller;
  const [trace_id, judge_id] = [input.trace_id as string, input.judge_id as string];
  const trace = await requireTrace({ read, caller, services }, trace_id, { judge_id });
  await requireJudge(read, account_id, judge_id);
  if (trace.branch !== MAIN_BRANCH) throw onlyOfMain('the trace', trace.branch);
  const [newest] = await listResults(scan, { account_id, judge_id, from: trace.seq, before: trace.seq + 1, limit: 1 });
  if (newest?.result !== 'fail')
    throw new Fault('conflict', `judge ${judge_id} has not failed trace ${trace_id}`, { judge_id, trace_id });
  const source_version = newest.judge_version;
  const [verdict] = await findVerdicts(scan, account_id, [
    { trace_seq: trace.seq, judge_id, judge_version: source_version },
  ]);
  const attributed = await suspectsOf(context, await collectRuns(context, { judge_id }, MAX_ATTRIBUTED_RUNS));
  const { sets } = await loadReadSets(context, [{ ...trace, failed: true }]);
  const own = sets[0]?.reads ?? new Set<string>();
  const suspects = attributed.suspects.filter(({ name }) => own.has(name));
  const blamed = await firstFound([
    () => blameSuspects(context, suspects),
    () => blameByLedger(context, { versions: verdict ? versionsIn(verdict) : [], isFound: true }),
    () => blameByLedger(context, { versions: [...own].map(versionIn), explained: explainedIn(attributed) }),
  ]);
  const failing = { count: attributed.failed, of: attributed.sets.length };
  return {
    ...{ source_kind: 'verdict', source_id: judge_id, source_seq: trace.seq, source_version, judge_id, of_agent: '' },
    ...{ behavior_id: null, visible_to: trace.visible_to, summary: failsIn(judge_id, failing), blamed },
    suspects: new Set(attributed.suspects.map(({ name }) => name)),
  };
}

const failsIn = (judge_id: string, { count, of }: { count: number; of: number }): string =>
  `Judge ${judge_id} failed ${share({ count, of, rate: of === 0 ? null : count / of })} of the newest runs.`;

async function firstFound(ways: readonly (() => Promise<BlamedVersion[]>)[]): Promise<BlamedVersion[]> {
  for (const find of ways) {
    const blamed = await find();
    if (blamed.length > 0) return blamed;
  }
  return [];
}

async function fromIncident(context: ReadContext, input: ProposalInput): Promise<FixGround> {
  const incident = await requireIncident(context, input.incident_id as string);
  const { incident_id, source_kind, source_id, source_version, of_agent, branch, visible_to, from_seq } = incident;
  if (branch !== MAIN_BRANCH) throw onlyOfMain('the incident', branch);
  const place = {
    source_kind: 'incident',
    source_id: incident_id,
    source_seq: 0,
    source_version,
    of_agent,
    visible_to,
  };
  const by = source_kind === 'judge' ? { judge_id: source_id } : { behavior_id: source_id };
  return { ...place, ...(await failingRuns(context, { by, of_agent, from_seq })) };
}

/** The runs that have a behavior are compared with those that have not, as failing runs are with others. */
async function fromBehavior(context: ReadContext, input: ProposalInput): Promise<FixGround> {
  const { read, caller } = context;
  const behavior = await requireBehavior(read, caller.account_id, input.behavior_id as string);
  const { behavior_id, version, for_agent } = behavior;
  const of_agent = for_agent ?? '';
  return {
    ...{ source_kind: 'behavior', source_id: behavior_id, source_seq: 0, source_version: version },
    ...{ of_agent, visible_to: EVERYONE },
    ...(await failingRuns(context, { by: { behavior_id }, of_agent, from_seq: 0 })),
  };
}

type FailingRuns = {
  /** What says that a run failed. */
  by: { judge_id: string } | { behavior_id: string };
  of_agent: string;
  /** The first that failed. */
  from_seq: number;
};

/** What is to blame for the failing runs on `main`: what they read more often than others, else what outcomes speak against. */
async function failingRuns(
  context: ReadContext,
  { by, of_agent, from_seq }: FailingRuns,
): Promise<Pick<FixGround, 'judge_id' | 'behavior_id' | 'summary' | 'blamed' | 'suspects'>> {
  const named = { judge_id: null, behavior_id: null, ...by };
  const asked = { ...by, ...(of_agent === '' ? {} : { agent_id: of_agent }) };
  const attributed = await suspectsOf(context, await collectRuns(context, asked, MAX_ATTRIBUTED_RUNS));
  const failing = attributed.sets.filter(({ failed, run }) => failed && run.seq >= from_seq);
  const versions = [...new Set(failing.flatMap(({ reads }) => [...reads]))].map(versionIn);
  const counts = { count: attributed.failed, of: attributed.sets.length };
  return {
    ...named,
    summary: 'judge_id' in by ? failsIn(by.judge_id, counts) : isFoundIn(by.behavior_id, counts),
    blamed: await firstFound([
      () => blameSuspects(context, attributed.suspects, wordFor(named)),
      () => blameByLedger(context, { versions, explained: explainedIn(attributed) }),
    ]),
    suspects: new Set(attributed.suspects.map(({ name }) => name)),
  };
}

const isFoundIn = (behavior_id: string, { count, of }: { count: number; of: number }): string =>
  `Behavior ${behavior_id} is found in ${share({ count, of, rate: of === 0 ? null : count / of })} of the newest runs.`;

async function fromEntry(context: ReadContext, input: ProposalInput): Promise<FixGround> {
  const [entity_path, key] = [input.entity_path as string, input.key as string];
  const [row] = await findSeen(context, [{ entity_path, key }]);
  const version = input.version ?? row?.version ?? 0;
  if (!row || version > row.version)
    throw new Fault('not_found', `there is no such entry at ${entity_path} ${key}`, { entity_path, key });
  if (version !== row.version)
    throw new Fault('conflict', `version ${version} was replaced since: the entry is at ${row.version}`, {
      ...{ entity_path, key, version: row.version },
    });
  const blamed = { entry_id: row.entry_id, version };
  const ledger = (await ledgerOf(context, [blamed], LINES_OF_ONE)).get(versionName(blamed));
  const isDiscredited = evidenceStatus(standingOf(row), row.confidence) === 'discredited';
  const isAgainst = ledger !== undefined && (speakAgainst(ledger) || (isDiscredited && !speakFor(ledger)));
  const isGiven = input.entries.some((one) => one.entity_path === entity_path && one.key === key);
  if (!ledger || (!isAgainst && !isGiven))
    throw new Fault(
      'conflict',
      'outcomes do not speak against the entry: give the value that it should have in `entries`',
      { entity_path, key, version },
    );
  const words = outcomesOf(ledger);
  return {
    ...{ source_kind: 'entry', source_id: '', source_seq: row.entry_id, source_version: version },
    ...{ judge_id: null, behavior_id: null, of_agent: '', visible_to: EVERYONE },
    summary: isAgainst ? `Outcomes speak against an entry: ${words}.` : `An entry is said to be wrong: ${words}.`,
    blamed: [{ ...blamed, runs: null, ledger, why: `By the ledger, ${words}.` }],
    suspects: new Set(),
  };
}

import type { Query } from '@mem-service/server/module';
import { countLooks, type LookGroup, listLookSamples, listMatchSamples } from '../behaviors/index.ts';
import { countSamples, listFailures, listSamples, type VerdictGroup, type VerdictSample } from '../verdicts/index.ts';
import type { IncidentPlace, IncidentRow } from './queries.ts';
import type { TracesCounted } from './rules/excess.ts';
import type { ReportedSample } from './rules/sample-rows.ts';

/** The traces in which something fails or does not: those of one agent, or of all that the same may see. */
export type WatchedGroup = IncidentPlace & { source_version: number };

export type FailedTrace = Pick<VerdictSample, 'trace_seq' | 'trace_id' | 'agent_id' | 'traced_at'>;
type SamplesUpTo = { account_id: string; after: number; until: number; reported: number; limit: number };
/** `reported`: only what the log knew there. */
type FailuresBetween = { account_id: string; from: number; until: number; reported?: number; limit: number };
type SpansCounted = {
  account_id: string;
  spans: readonly { name: string; from: number; before: number; limit: number }[];
};

/** What can open incidents. */
export type IncidentSource = {
  /** Whether a share that is high from the start is wrong by itself. */
  opensFromStart: boolean;
  /** Up to a moment of the log, oldest first. */
  list(query: Query, group: WatchedGroup, samples: SamplesUpTo): Promise<ReportedSample[]>;
  /** Newest first. */
  failures(query: Query, group: WatchedGroup, between: FailuresBetween): Promise<FailedTrace[]>;
  count(query: Query, group: WatchedGroup, counted: SpansCounted): Promise<Map<string, TracesCounted>>;
};

const verdictsOf = ({ source_id, source_version, of_agent, branch, visible_to }: WatchedGroup): VerdictGroup => ({
  ...{ judge_id: source_id, judge_version: source_version, branch, visible_to },
  agent_id: of_agent === '' ? null : of_agent,
});

const judgeSource: IncidentSource = {
  opensFromStart: true,
  async list(query, group, samples) {
    const found = await listSamples(query, verdictsOf(group), samples);
    return found.map(({ trace_seq, agent_id, result, seq }) => ({
      trace_seq,
      agent_id,
      failed: result === 'fail',
      seq,
    }));
  },
  failures: (query, group, between) => listFailures(query, verdictsOf(group), between),
  count: (query, group, counted) => countSamples(query, verdictsOf(group), counted),
};

const looksOf = ({ source_id, source_version, of_agent, branch, visible_to }: WatchedGroup): LookGroup => ({
  ...{ behavior_id: source_id, behavior_version: source_version, branch, visible_to },
  agent_id: of_agent === '' ? null : of_agent,
});

/** A trace with the behavior counts as one that failed. That most have it is how the agents work. */
const behaviorSource: IncidentSource = {
  opensFromStart: false,
  async list(query, group, samples) {
    const found = await listLookSamples(query, looksOf(group), samples);
    return found.map(({ result, trace_seq, agent_id, seq }) => ({
      failed: result === 'match',
      trace_seq,
      agent_id,
      seq,
    }));
  },
  failures: (query, group, between) => listMatchSamples(query, looksOf(group), between),
  count: (query, group, counted) => countLooks(query, looksOf(group), counted),
};

const sources: Readonly<Record<string, IncidentSource>> = { judge: judgeSource, behavior: behaviorSource };

export function sourceOf({ source_kind }: Pick<IncidentRow, 'source_kind'>): IncidentSource {
  const source = sources[source_kind];
  if (!source) throw new Error(`nothing opens incidents of the kind ${source_kind}`);
  return source;
}

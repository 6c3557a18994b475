import type { Output } from '@mem-service/server/module';

export type SealedSession = Output<'traces.read'>;
export type TrainingExample = Output<'training.export'>;

const LESSON = 'lesson-contrast-';
/** Lessons are written by the service, from outcomes: a model would learn from itself. */
export const isLesson = (key: string): boolean => key.startsWith(LESSON);

const LABELS: Readonly<Record<string, number>> = {
  success: 1,
  clean_deploy: 1,
  minor_failure: -0.25,
  regression: -0.25,
  failure: -0.6,
  p2_incident: -0.6,
  critical_failure: -1,
  p1_incident: -1,
};

export const hasSucceeded = ({ outcome_type }: SealedSession): boolean => (LABELS[outcome_type ?? ''] ?? 0) > 0;
export const hasFailed = ({ outcome_type }: SealedSession): boolean => (LABELS[outcome_type ?? ''] ?? 0) < 0;

const headOf = ({ trace_id, agent_id, outcome_type }: SealedSession) => ({
  trace_id,
  agent_id,
  outcome_type: outcome_type ?? '',
});

/** Whether an example may show an entry. */
export const isShown = ({ key, confidence }: { key: string; confidence: number }, least: number): boolean =>
  !isLesson(key) && confidence >= least;

/** An entry that was read, its value without secrets, and how many outcomes it had. */
export type EntryInContext = { entry: NonNullable<TrainingExample['entry']>; outcome_count: number };

/** An entry that was written, its value without secrets. */
export type DecidedEntry = { entity_path: string; key: string; value: TrainingExample['decision_value'] };

const knownIn = (session: SealedSession, known: readonly EntryInContext[]) => ({
  ...headOf(session),
  task_input: session.task_input,
  context_entries: known.map(({ entry }) => entry),
});

/** What was known, and an entry that was written. */
export const decidedExample = (
  session: SealedSession,
  known: readonly EntryInContext[],
  { entity_path, key, value }: DecidedEntry,
): TrainingExample => ({
  ...knownIn(session, known),
  ...{ decision_entity_path: entity_path, decision_key: key, decision_value: value },
});

/** What was known, and the response of a session that wrote nothing. */
export function respondedExamples(session: SealedSession, known: readonly EntryInContext[]): TrainingExample[] {
  const { response_text } = session;
  if (response_text === null || response_text === '') return [];
  const decided = { decision_entity_path: null, decision_key: null, decision_value: response_text };
  return [{ ...knownIn(session, known), ...decided }];
}

/** Whether the outcome says how it went. */
export const hasLabel = ({ outcome_type }: SealedSession): boolean => LABELS[outcome_type ?? ''] !== undefined;

/** Each entry that was read, and how it went. */
export function rewardExamples(session: SealedSession, known: readonly EntryInContext[]): TrainingExample[] {
  const label = LABELS[session.outcome_type ?? ''];
  if (label === undefined) return [];
  return known.map(({ entry, outcome_count }) => ({ ...headOf(session), entry, label, outcome_count }));
}

const INSTRUCTION =
  'You are an agent that works with tools. Answer with the tool calls that the task needs, as a JSON list.';

/** The tool calls of a session as text: names and arguments, in their order. */
export const callsText = ({ tool_calls }: SealedSession): string =>
  JSON.stringify(tool_calls.map(({ tool_name, arguments: given }) => ({ tool_name, arguments: given })));

const isConversation = ({ task_input, tool_calls }: SealedSession): boolean => !!task_input && tool_calls.length > 0;

/** The task and the tool calls as a conversation. */
export function vertexExamples(session: SealedSession): TrainingExample[] {
  if (!isConversation(session) || !hasSucceeded(session)) return [];
  const turn = (role: string, text: string) => ({ role, parts: [{ text }] });
  return [
    {
      ...headOf(session),
      systemInstruction: turn('system', INSTRUCTION),
      contents: [turn('user', session.task_input ?? ''), turn('model', callsText(session))],
    },
  ];
}

/** A session that can be the better or the worse half of a pair. */
export type PairableSession = ReturnType<typeof headOf> & {
  isGood: boolean;
  task: string;
  tool: string;
  calls: string;
};

export function toPairable(session: SealedSession): PairableSession | undefined {
  const isGood = hasSucceeded(session);
  if (!isConversation(session) || (!isGood && !hasFailed(session))) return undefined;
  const tool = session.tool_calls[0]?.tool_name ?? '';
  return { ...headOf(session), isGood, task: session.task_input ?? '', tool, calls: callsText(session) };
}

/** Pairs of a success and a failure that began with the same tool, those with the same task first. Each is in one pair. */
export function pairExamples(sessions: readonly PairableSession[]): TrainingExample[] {
  const pairs: TrainingExample[] = [];
  let left = sessions;
  for (const nameOf of [
    ({ tool, task }: PairableSession) => JSON.stringify([tool, task]),
    ({ tool }: PairableSession) => tool,
  ]) {
    const used = new Set<PairableSession>();
    const failed = failuresBy(left, nameOf);
    for (const good of left.filter(({ isGood }) => isGood)) {
      const bad = takeOther(failed.get(nameOf(good)), good.calls);
      if (!bad) continue;
      used.add(good).add(bad);
      pairs.push(toPair(good, bad));
    }
    left = left.filter((session) => !used.has(session));
  }
  return pairs;
}

/** Sessions in their order, by what they called: one that called something else is found without comparing all. */
type ByCalls = Map<string, PairableSession[]>;

function failuresBy(
  sessions: readonly PairableSession[],
  nameOf: (session: PairableSession) => string,
): Map<string, ByCalls> {
  const failed = new Map<string, ByCalls>();
  for (const session of sessions) {
    if (session.isGood) continue;
    const name = nameOf(session);
    const byCalls = failed.get(name) ?? new Map<string, PairableSession[]>();
    failed.set(name, byCalls);
    const same = byCalls.get(session.calls);
    if (same) same.push(session);
    else byCalls.set(session.calls, [session]);
  }
  return failed;
}

/** Takes a failure with other calls out of its group. */
function takeOther(byCalls: ByCalls | undefined, calls: string): PairableSession | undefined {
  for (const [other, sessions] of byCalls ?? []) {
    if (other === calls) continue;
    const taken = sessions.shift();
    if (sessions.length === 0) byCalls?.delete(other);
    return taken;
  }
  return undefined;
}

const toPair = (good: PairableSession, bad: PairableSession): TrainingExample => ({
  ...{ trace_id: good.trace_id, agent_id: good.agent_id, outcome_type: good.outcome_type },
  ...{ prompt: good.task, chosen: good.calls, rejected: bad.calls, rejected_trace_id: bad.trace_id },
});

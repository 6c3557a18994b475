import {
  findDocuments,
  findNamedNumbers,
  findVersions,
  getProfile,
  type Handlers,
  type Input,
  lists,
  listTracesFor,
  listWritesOf,
  pause,
  type ReadContext,
  readTrace,
  redactJson,
  stringify,
} from '@mem-service/server/module';
import {
  type DecidedEntry,
  hasSucceeded,
  type PairableSession,
  pairExamples,
  rewardExamples,
  type SealedSession,
  sftExamples,
  type TrainingExample,
  toPairable,
  vertexExamples,
} from './rules/examples.ts';

type ExportInput = Input<'training.export'>;

/** Agents whose profile has it are left out. */
const OPT_OUT = 'no-training';
const SESSIONS_PER_PAGE = 50;
/** Pairs are looked for among so many sessions that follow each other, or so many characters of them. */
const PAIRED_SESSIONS = 1000;
const PAIRED_CHARS = 8 * 1024 * 1024;

const exportTraining = lists<'training.export'>(async function* (context, input) {
  let left = input.limit ?? Number.POSITIVE_INFINITY;
  const examples = input.format === 'dpo' ? pairsOf(context, input) : singlesOf(context, input);
  for await (const example of examples) {
    yield stringify(example);
    if (--left <= 0) return;
  }
});

/** Sealed sessions that the caller may see, newest first, as lists show them. */
async function* sessionsOf(context: ReadContext, input: ExportInput): AsyncGenerator<SealedSession> {
  const { entity_path, agent_id, since, until, branch } = input;
  const isOut = optOuts(context);
  const asked = { entity_path, agent_id, since, until, branch, offset: 0, limit: SESSIONS_PER_PAGE };
  for (let cursor: string | undefined; ; ) {
    const page = await listTracesFor(context, { ...asked, cursor });
    for (const session of page.traces) if (!(await isOut(session.agent_id))) yield session;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
    await pause();
  }
}

/** Whether an agent does not want its sessions to be used; each is looked up once. */
function optOuts({ read, caller }: ReadContext): (agentId: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (agentId) => {
    const found = known.get(agentId);
    if (found !== undefined) return found;
    const profile = await getProfile(read, caller.account_id, agentId);
    const isOut = profile !== undefined && (JSON.parse(profile.tags) as string[]).includes(OPT_OUT);
    known.set(agentId, isOut);
    return isOut;
  };
}

async function* singlesOf(context: ReadContext, input: ExportInput): AsyncGenerator<TrainingExample> {
  const { format, min_confidence: least } = input;
  for await (const listed of sessionsOf(context, input)) {
    if (format === 'vertex_sft') yield* vertexExamples(listed);
    else if (format === 'reward_model') {
      const session = await readTrace(context, listed.trace_id, 'whole');
      yield* rewardExamples(session, { least, redact: redactJson });
    } else if (hasSucceeded(listed)) {
      const session = await readTrace(context, listed.trace_id, 'whole');
      const written = await readWritten(context, listed);
      yield* sftExamples(session, { least, written, redact: redactJson });
    }
    await pause();
  }
}

/** The entries that a session wrote, in the versions that it wrote. */
async function readWritten(context: ReadContext, { seq, branch }: SealedSession): Promise<DecidedEntry[]> {
  const { scan, caller } = context;
  const writes = await listWritesOf(context, seq);
  const numbers = await findNamedNumbers(
    scan,
    caller.account_id,
    writes.map(({ entity_path, key }) => ({ branch, entity_path, key })),
  );
  const known = writes.flatMap((one, i) => (numbers[i] ? [{ ...one, entry_id: numbers[i].entry_id }] : []));
  const documents = await findDocuments(scan, caller.account_id, known);
  const versions = await findVersions(scan, caller.account_id, known);
  return known.flatMap(({ entity_path, key }, i) => {
    const document = documents[i];
    const version = versions[i];
    if (document === undefined || !version) return [];
    const { value } = JSON.parse(document) as { value: unknown };
    return [{ entity_path, key, value, confidence: version.confidence }];
  });
}

async function* pairsOf(context: ReadContext, input: ExportInput): AsyncGenerator<TrainingExample> {
  let waiting: PairableSession[] = [];
  let chars = 0;
  for await (const listed of sessionsOf(context, input)) {
    const session = toPairable(listed);
    if (!session) continue;
    waiting.push(session);
    chars += session.calls.length + session.task.length;
    if (waiting.length < PAIRED_SESSIONS && chars < PAIRED_CHARS) continue;
    yield* pairExamples(waiting);
    [waiting, chars] = [[], 0];
    await pause();
  }
  yield* pairExamples(waiting);
}

export const handlers: Handlers = { 'training.export': exportTraining };

import {
  type Handlers,
  type Input,
  lists,
  listTracesFor,
  pause,
  type ReadContext,
  stringify,
} from '@mem-service/server/module';
import { contentsOf } from './contents.ts';
import { optOuts } from './opt-outs.ts';
import {
  decidedExample,
  hasLabel,
  hasSucceeded,
  type PairableSession,
  pairExamples,
  respondedExamples,
  rewardExamples,
  type SealedSession,
  type TrainingExample,
  toPairable,
  vertexExamples,
} from './rules/examples.ts';

type ExportInput = Input<'training.export'>;
type Examples = AsyncGenerator<TrainingExample>;

const SESSIONS_PER_PAGE = 100;
/** Pairs are looked for among so many sessions that follow each other, or so many characters of them. */
const PAIRED_SESSIONS = 1000;
const PAIRED_CHARS = 8 * 1024 * 1024;

const exportTraining = lists<'training.export'>(async function* (context, input) {
  let left = input.limit ?? Number.POSITIVE_INFINITY;
  for await (const example of EXAMPLES[input.format](context, input)) {
    yield stringify(example);
    if (--left <= 0) return;
    await pause();
  }
});

const EXAMPLES: Record<ExportInput['format'], (context: ReadContext, input: ExportInput) => Examples> = {
  sft: decisionsOf,
  dpo: pairsOf,
  reward_model: rewardsOf,
  vertex_sft: conversationsOf,
};

/** Pages of sealed sessions that the caller may see, newest first, as lists show them. */
async function* pagesOf(context: ReadContext, input: ExportInput): AsyncGenerator<SealedSession[]> {
  const { entity_path, agent_id, since, until, branch } = input;
  const asked = { entity_path, agent_id, since, until, branch, offset: 0, limit: SESSIONS_PER_PAGE };
  for (let cursor: string | undefined; ; ) {
    const { traces, next_cursor } = await listTracesFor(context, { ...asked, cursor });
    const out = await optOuts(
      context,
      traces.map(({ agent_id }) => agent_id),
    );
    yield traces.filter((session) => !out.has(session.agent_id));
    if (next_cursor === null) return;
    cursor = next_cursor;
    await pause();
  }
}

/** What was known, and each thing that was decided: entries that were written, or else the response. */
async function* decisionsOf(context: ReadContext, input: ExportInput): Examples {
  const { min_confidence: least } = input;
  for await (const page of pagesOf(context, input)) {
    const contents = contentsOf(context, page.filter(hasSucceeded), { least, withWrites: true });
    for await (const { session, known, isCut, wrote, decided } of contents) {
      // Where nothing is left of what it knew, it would teach to decide without memory.
      if (!wrote && !isCut) yield* respondedExamples(session, known);
      for await (const one of decided) if (!isCut) yield decidedExample(session, known, one);
      await pause();
    }
  }
}

async function* rewardsOf(context: ReadContext, input: ExportInput): Examples {
  const { min_confidence: least } = input;
  for await (const page of pagesOf(context, input)) {
    const contents = contentsOf(context, page.filter(hasLabel), { least, withWrites: false });
    for await (const { session, known } of contents) yield* rewardExamples(session, known);
  }
}

async function* conversationsOf(context: ReadContext, input: ExportInput): Examples {
  for await (const page of pagesOf(context, input)) for (const session of page) yield* vertexExamples(session);
}

async function* pairsOf(context: ReadContext, input: ExportInput): Examples {
  let waiting: PairableSession[] = [];
  let chars = 0;
  for await (const page of pagesOf(context, input)) {
    for (const session of page.flatMap((listed) => toPairable(listed) ?? [])) {
      waiting.push(session);
      chars += session.calls.length + session.task.length;
      if (waiting.length < PAIRED_SESSIONS && chars < PAIRED_CHARS) continue;
      yield* pairExamples(waiting);
      [waiting, chars] = [[], 0];
      await pause();
    }
  }
  yield* pairExamples(waiting);
}

export const handlers: Handlers = { 'training.export': exportTraining };

import {
  Fault,
  type Handlers,
  type Input,
  type judgeShapes,
  lists,
  type ReadContext,
  requireTrace,
  stringify,
} from '@mem-service/server/module';
import { requireJudge } from '../judges/index.ts';
import { chooseStep, type InvestigationLine } from './choose-step.ts';
import { summaryOf } from './rules/words.ts';
import { type Inquiry, STEPS, type StepName } from './steps.ts';

/** After this long no further step is begun. */
const MAX_MS = 60_000;
const PLAN: readonly StepName[] = ['segments', 'attribution', 'divergence', 'memory_changes'];

type InvestigationInput = Input<'investigations.run'>;

const investigate = lists<'investigations.run'>(async function* (context, input) {
  const { read, caller, services } = context;
  const { trace_id, judge_id } = input;
  if (trace_id !== undefined) await requireTrace(context, trace_id, judge_id === undefined ? {} : { judge_id });
  if (judge_id !== undefined) await requireJudge(read, caller.account_id, judge_id);
  // A server that only reads cannot count what is spent.
  const hasModel = services.settings.judging_server !== null && services.replica === undefined;
  const lines: InvestigationLine[] = [];
  for await (const line of hasModel
    ? byModel(context, input, lines)
    : byPlan(context, input, { lines, reason: null, call: null })) {
    lines.push(line);
    yield stringify(line);
  }
});

const isLate = (context: ReadContext): boolean => context.elapsed() > MAX_MS;

/** `reason` and `call` say why no model was asked any more, and what its last call took. */
type PlanStart = Pick<InvestigationLine, 'reason'> & {
  lines: readonly InvestigationLine[];
  call: InvestigationLine['model_call'];
};

async function* byPlan(
  context: ReadContext,
  input: InvestigationInput,
  { lines, reason, call }: PlanStart,
): AsyncGenerator<InvestigationLine> {
  const done = new Set(lines.map(({ step }) => step));
  const left = PLAN.filter((step) => !done.has(step)).slice(0, Math.max(0, input.max_steps - lines.length));
  for (const step of left) {
    if (isLate(context)) break;
    yield await lineOf(context, {
      step,
      inquiry: inquiryOf(input),
      lines,
      chosen_by: 'plan',
      reason: null,
      call: null,
    });
  }
  const found = summaryOf(lines.map((line) => line.found));
  yield { no: lines.length + 1, step: 'answer', chosen_by: 'plan', reason, found, data: null, model_call: call };
}

async function* byModel(
  context: ReadContext,
  input: InvestigationInput,
  lines: readonly InvestigationLine[],
): AsyncGenerator<InvestigationLine> {
  const { services, caller } = context;
  const { question } = input;
  const inquiry = inquiryOf(input);
  for (;;) {
    const steps_left = isLate(context) ? 0 : input.max_steps - lines.length;
    const asked = { account_id: caller.account_id, question, inquiry, lines, steps_left };
    const chosen = await chooseStep(services, asked);
    // Without the model the rest goes by the plan.
    const { call } = chosen;
    if ('failure' in chosen) return yield* byPlan(context, input, { lines, reason: chosen.failure, call });
    const { choice } = chosen;
    if ('answer' in choice) {
      const own = { step: 'answer' as const, chosen_by: 'model' as const, reason: null, data: null };
      yield { no: lines.length + 1, ...own, found: choice.answer, model_call: call };
      return;
    }
    const { step, reason, options } = choice;
    yield await lineOf(context, { step, inquiry: { ...inquiry, ...options }, lines, chosen_by: 'model', reason, call });
  }
}

const inquiryOf = ({ agent_id, trace_id, judge_id, since, until }: InvestigationInput): Inquiry => ({
  ...{ agent_id, trace_id, judge_id, since, until },
});

type ChosenLine = Pick<InvestigationLine, 'chosen_by' | 'reason'> & {
  step: StepName;
  inquiry: Inquiry;
  lines: readonly InvestigationLine[];
  call: judgeShapes.JudgeModelCall | null;
};

/** What a step is refused for, such as a judge that is not there, is what it found. */
async function lineOf(context: ReadContext, chosen: ChosenLine): Promise<InvestigationLine> {
  const { step, inquiry, lines, chosen_by, reason, call } = chosen;
  const finding = await STEPS[step](context, inquiry).catch((error: unknown) => {
    if (chosen_by === 'model' && error instanceof Fault) return { found: `It was refused: ${error.message}`, data: {} };
    throw error;
  });
  return { no: lines.length + 1, step, chosen_by, reason, ...finding, model_call: call } as InvestigationLine;
}

export const handlers: Handlers = { 'investigations.run': investigate };

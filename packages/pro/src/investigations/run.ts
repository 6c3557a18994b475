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
import { type AnsweredStep, summaryOf } from './rules/words.ts';
import { type Inquiry, STEPS, type StepFinding, type StepName } from './steps.ts';

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
  const taken: TakenStep[] = [];
  for await (const one of hasModel
    ? byModel(context, input, taken)
    : byPlan(context, input, { taken, reason: null, call: null })) {
    taken.push(one);
    yield stringify(one.line);
  }
});

const isLate = (context: ReadContext): boolean => context.elapsed() > MAX_MS;

/** A line with what the answer makes of it. */
type TakenStep = { line: InvestigationLine; answered: AnsweredStep };

/** `reason` and `call` say why no model was asked any more, and what its last call took. */
type PlanStart = Pick<InvestigationLine, 'reason'> & {
  taken: readonly TakenStep[];
  call: InvestigationLine['model_call'];
};

async function* byPlan(
  context: ReadContext,
  input: InvestigationInput,
  { taken, reason, call }: PlanStart,
): AsyncGenerator<TakenStep> {
  const done = new Set(taken.map(({ line }) => line.step));
  const left = PLAN.filter((step) => !done.has(step)).slice(0, Math.max(0, input.max_steps - taken.length));
  for (const step of left) {
    if (isLate(context)) break;
    const inquiry = inquiryOf(input);
    yield await take(context, { step, inquiry, no: taken.length + 1, chosen_by: 'plan', reason: null, call: null });
  }
  const found = summaryOf(taken.map(({ answered }) => answered));
  const own = { step: 'answer' as const, chosen_by: 'plan' as const, reason, data: null };
  yield answerLine({ no: taken.length + 1, ...own, found, model_call: call });
}

const answerLine = (line: InvestigationLine): TakenStep => ({ line, answered: { step: line.step, found: line.found } });

async function* byModel(
  context: ReadContext,
  input: InvestigationInput,
  taken: readonly TakenStep[],
): AsyncGenerator<TakenStep> {
  const { services, caller } = context;
  const { question } = input;
  const inquiry = inquiryOf(input);
  for (;;) {
    const steps_left = isLate(context) ? 0 : input.max_steps - taken.length;
    const lines = taken.map(({ line }) => line);
    const asked = { account_id: caller.account_id, question, inquiry, lines, steps_left };
    const chosen = await chooseStep(services, asked);
    // Without the model the rest goes by the plan.
    const { call } = chosen;
    if ('failure' in chosen) return yield* byPlan(context, input, { taken, reason: chosen.failure, call });
    const { choice } = chosen;
    const no = taken.length + 1;
    if ('answer' in choice) {
      const own = { step: 'answer' as const, chosen_by: 'model' as const, reason: null, data: null };
      yield answerLine({ no, ...own, found: choice.answer, model_call: call });
      return;
    }
    const { step, reason, options } = choice;
    yield await take(context, { step, inquiry: { ...inquiry, ...options }, no, chosen_by: 'model', reason, call });
  }
}

const inquiryOf = ({ agent_id, trace_id, judge_id, since, until }: InvestigationInput): Inquiry => ({
  ...{ agent_id, trace_id, judge_id, since, until },
});

type ChosenLine = Pick<InvestigationLine, 'no' | 'chosen_by' | 'reason'> & {
  step: StepName;
  inquiry: Inquiry;
  call: judgeShapes.JudgeModelCall | null;
};

/** What a step is refused for, such as a judge that is not there, is what it found. */
async function take(context: ReadContext, chosen: ChosenLine): Promise<TakenStep> {
  const { step, inquiry, no, chosen_by, reason, call } = chosen;
  const taken = await STEPS[step](context, inquiry).catch((error: unknown): StepFinding => {
    if (chosen_by === 'model' && error instanceof Fault) return { found: `It was refused: ${error.message}`, data: {} };
    throw error;
  });
  const { data, ...finding } = taken;
  const line = { no, step, chosen_by, reason, found: finding.found, data, model_call: call };
  return { line: line as InvestigationLine, answered: { step, ...finding } };
}

export const handlers: Handlers = { 'investigations.run': investigate };

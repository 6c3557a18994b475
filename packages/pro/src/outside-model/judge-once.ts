import type { Services } from '@mem-service/server/module';
import { noOpinion } from '../evaluation/index.ts';
import { findVerdicts } from '../verdicts/queries.ts';
import { isOpen } from '../verdicts/rules/open-verdict.ts';
import { judgeByModel, type ModelFinding, type ModelJudging } from './judge-by-model.ts';

/** An answer is kept for so long: by then the caller that got it has stored it. */
const KEPT_MS = 15 * 60_000;
/** So many questions and answers of a service; beyond that, questions are not shared. */
const MAX_KEPT = 1_000;

type JudgingOnce = ModelJudging & { judge_id: string; judge_version: number };

type SharedQuestion = {
  /** Nothing where a verdict was stored before the model was asked. */
  answer: Promise<ModelFinding | undefined>;
  answered_at: number | undefined;
  waiting: number;
  /** Ends the question when nobody waits for the answer any more. */
  end: AbortController;
};
type SharedQuestions = Map<string, SharedQuestion>;

const shared = new WeakMap<Services, SharedQuestions>();

/**
 * Has a language model judge a trace for a version of a judge. Where another caller in this process asks the same, or has the
 * answer and has not stored it yet, the answer is that one's. Returns nothing where a verdict is stored by now. Throws as
 * `judgeByModel` does.
 */
export async function judgeOnce(services: Services, judging: JudgingOnce): Promise<ModelFinding | undefined> {
  const { account_id, trace, judge_id, judge_version, signal } = judging;
  if (signal?.aborted) return stoppedFor(judging);
  const questions = questionsOf(services);
  const name = JSON.stringify([account_id, trace.trace_id, judge_id, judge_version]);
  dropOld(questions, services.clock.now());
  const question = questions.get(name) ?? begin(services, { questions, name, judging });
  return answerOf(question, judging);
}

function questionsOf(services: Services): SharedQuestions {
  const known = shared.get(services) ?? new Map<string, SharedQuestion>();
  shared.set(services, known);
  return known;
}

function dropOld(questions: SharedQuestions, now: number): void {
  for (const [name, { answered_at }] of questions) {
    if (answered_at === undefined) continue;
    if (questions.size >= MAX_KEPT || answered_at + KEPT_MS < now) questions.delete(name);
  }
}

type NewQuestion = { questions: SharedQuestions; name: string; judging: JudgingOnce };

function begin(services: Services, { questions, name, judging }: NewQuestion): SharedQuestion {
  const end = new AbortController();
  const answer = ask(services, { ...judging, signal: end.signal });
  const question: SharedQuestion = { answer, answered_at: undefined, waiting: 0, end };
  const drop = () => {
    if (questions.get(name) === question) questions.delete(name);
  };
  end.signal.addEventListener('abort', drop, { once: true });
  answer.then((found) => {
    if (found && isLast(found)) question.answered_at = services.clock.now();
    else drop();
  }, drop);
  if (questions.size < MAX_KEPT) questions.set(name, question);
  return question;
}

async function ask(services: Services, judging: JudgingOnce): Promise<ModelFinding | undefined> {
  const { account_id, judge_id, judge_version, trace } = judging;
  const { read } = services.database.forAccount(account_id);
  const [stored] = await findVerdicts(read, account_id, [{ trace_seq: trace.seq, judge_id, judge_version }]);
  return stored && !isOpen(stored) ? undefined : judgeByModel(services, judging);
}

/** After an error the model may be asked again. */
const isLast = ({ finding, model_call }: ModelFinding): boolean => model_call === null || finding.result !== 'error';

/** A caller that stops leaves the question to the others who wait; the last one ends it, and waits until it has ended. */
function answerOf(question: SharedQuestion, judging: JudgingOnce): Promise<ModelFinding | undefined> {
  const { signal } = judging;
  question.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      question.waiting -= 1;
      if (question.waiting === 0) question.end.abort();
      else resolve(stoppedFor(judging));
    };
    signal?.addEventListener('abort', leave, { once: true });
    question.answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
  });
}

const stoppedFor = ({ trace }: JudgingOnce): ModelFinding => ({
  finding: noOpinion('error', 'the service is being stopped'),
  ...{ model_call: null, is_partial: trace.is_partial, isOfServer: true },
});

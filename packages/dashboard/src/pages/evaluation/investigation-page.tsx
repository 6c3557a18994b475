import { type FormEvent, useState } from 'react';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { withTimes } from '../../texts/format.ts';
import { investigation as texts } from '../../texts/investigation.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Progress } from '../../ui/states.tsx';
import branchStyles from '../branches/branches.module.css';
import styles from './investigation.module.css';
import { InvestigationStep } from './investigation-step.tsx';
import { type ShownLine, useInvestigation, type WholeQuestion } from './use-investigation.ts';

const parameters = {
  agent: textParameter(),
  question: textParameter(),
  judge: textParameter(),
  trace: textParameter(),
};
type Asked = { agent: string; question: string; judge: string; trace: string };

const JUDGES = { name: 'judges.list', input: { limit: 1 } } as const;

const inquiryOf = ({ agent, question, judge, trace }: Asked): WholeQuestion => ({
  ...{ agent_id: agent, question: question.trim() },
  ...(judge === '' ? {} : { judge_id: judge }),
  ...(trace.trim() === '' ? {} : { trace_id: trace.trim() }),
});

/** A question about the runs of an agent. The address holds it, and asks nothing by itself: a model may have its price. */
export function InvestigationPage() {
  useCrumbs([{ label: texts.title }]);
  const [asked, set] = useSearch(parameters);
  const { inquiry, lines, status, error, start, cancel } = useInvestigation();
  const answer = lines.find(({ step }) => step === 'answer');
  const steps = lines.filter(({ step }) => step !== 'answer');
  const ask = (next: Asked) => {
    set(next);
    start(inquiryOf(next));
  };
  return (
    <>
      <div className={branchStyles.title}>
        <div className={branchStyles.headLine}>
          <h1>{texts.title}</h1>
          <span className="third wide-only">{texts.note}</span>
          <span className="grow" />
          <CopyAs
            call={{ name: 'investigations.run', input: inquiry ?? inquiryOf({ ...asked, ...exampleOf(asked) }) }}
          />
        </div>
      </div>
      <QuestionForm key={JSON.stringify(asked)} asked={asked} isBusy={status === 'running'} onAsk={ask} />
      {status === 'idle' && (
        <div className={branchStyles.empty}>
          <p className="second prose">{texts.hint}</p>
        </div>
      )}
      {status === 'running' && (
        <div className={styles.progress}>
          <Progress label={texts.working(steps.length)} onCancel={cancel} />
        </div>
      )}
      {status === 'cancelled' && <EmptyState title={texts.cancelled} />}
      {error !== undefined && <ErrorState error={error} isAction />}
      {answer && <Answer answer={answer} />}
      {steps.map((line) => (
        <InvestigationStep key={line.no} line={line} />
      ))}
    </>
  );
}

/** What is copied before something is asked works as it is. */
const exampleOf = ({ agent, question }: Asked) => ({
  agent: agent === '' ? 'agent/billing' : agent,
  question: question === '' ? texts.form.example : question,
});

function Answer({ answer: { chosen_by, found, reason, model_call } }: { answer: ShownLine }) {
  const note = chosen_by === 'model' && model_call ? texts.byModel(model_call.model) : texts.byPlan;
  return (
    <Section title={texts.answer} note={note}>
      <p className={`${styles.answer} prose`}>{withTimes(found)}</p>
      {reason !== null && <p className="third small prose">{reason}</p>}
    </Section>
  );
}

const choicesOf = (values: readonly string[]) =>
  [...new Set(values)].filter((value) => value !== '').map((value) => ({ value, label: value }));

type QuestionFormProps = { asked: Asked; isBusy: boolean; onAsk: (asked: Asked) => void };

function QuestionForm({ asked, isBusy, onAsk }: QuestionFormProps) {
  const [form, setForm] = useState(asked);
  const agents = useOperation('agents.list', { limit: 1000 });
  const newest = useOperation('traces.list', { limit: 1 }, { enabled: form.agent === '' });
  const maySeeJudges = useInstalled([JUDGES]).get(JUDGES.name) === true;
  const judges = useOperation('judges.list', { limit: 100 }, { enabled: maySeeJudges });
  const judgeIds = judges.data?.judges.map(({ judge_id }) => judge_id) ?? [];
  const names = agents.data?.agents.map(({ agent_id }) => agent_id) ?? [];
  // An agent that has runs is more likely meant than the first by name.
  const likely = newest.isPending ? '' : (newest.data?.traces[0]?.agent_id ?? names[0] ?? '');
  const agent = form.agent === '' ? likely : form.agent;
  const change = (next: Partial<Asked>) => setForm({ ...form, ...next });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk({ ...form, agent });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.question}>
        <Field label={texts.form.question}>
          {(field) => (
            <input
              {...field}
              required
              maxLength={4096}
              autoComplete="off"
              placeholder={texts.form.example}
              value={form.question}
              onChange={(event) => change({ question: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Field label={texts.form.agent}>
        {(field) => (
          <Select
            {...field}
            value={agent}
            choices={agent === '' ? [{ value: '', label: texts.form.noAgent }] : choicesOf([agent, ...names])}
            onChange={(next) => change({ agent: next })}
          />
        )}
      </Field>
      {maySeeJudges && (
        <Field label={texts.form.judge}>
          {(field) => (
            <Select
              {...field}
              value={form.judge}
              choices={[{ value: '', label: texts.form.byOutcome }, ...choicesOf([form.judge, ...judgeIds])]}
              onChange={(judge) => change({ judge })}
            />
          )}
        </Field>
      )}
      <Field label={texts.form.trace}>
        {(field) => (
          <input
            {...field}
            autoComplete="off"
            spellCheck={false}
            placeholder={texts.form.traceHint}
            value={form.trace}
            onChange={(event) => change({ trace: event.target.value })}
          />
        )}
      </Field>
      <Button kind="ink" submit busy={isBusy} disabled={agent === ''}>
        {texts.form.submit}
      </Button>
    </form>
  );
}

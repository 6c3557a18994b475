import type { Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { cases as texts } from '../../texts/failures.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { comparable } from '../../ui/diff.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import { TraceLink } from './evaluation-marks.tsx';

type RegressionCase = Output<'cases.read'>;

/** One case: its task, and what has to come of it. */
export function CasePage({ caseId }: { caseId: string }) {
  const input = { case_id: caseId };
  const call = { name: 'cases.read', input } as const;
  const answer = useOperation('cases.read', input);
  const remove = useAction('cases.delete', {
    changes: ['cases.list'],
    onDone: ({ case_id }) => {
      showToast(texts.removed(case_id));
      navigate(hrefOf('cases'));
    },
  });
  useCrumbs([{ label: texts.title, href: hrefOf('cases') }, { label: answer.data?.name ?? caseId }]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={8} call={call}>
        {(shown) => (
          <>
            <div className={styles.head}>
              <div className={styles.headLine}>
                <h1>{shown.name}</h1>
                <span className="grow" />
                <Button onClick={() => remove.mutate(input)}>{texts.remove}</Button>
                <CopyAs call={call} />
              </div>
              {shown.description !== '' && <p className="second prose">{shown.description}</p>}
              {remove.error !== null && <ErrorState error={remove.error} isAction />}
            </div>
            <div className={styles.split}>
              <div>
                <Section title={texts.task}>
                  {shown.task_input === null ? (
                    <p className="third">{texts.noTask}</p>
                  ) : (
                    <Code label={texts.task} text={shown.task_input} copy />
                  )}
                </Section>
                <Section title={texts.expected}>
                  <Code label={texts.expected} text={comparable(shown.expected)} numbered copy json />
                </Section>
              </div>
              <div className={styles.aside}>
                <Section title={texts.about}>
                  <Facts facts={factsOf(shown)} />
                </Section>
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

const linkTo = (page: string, id: string) => (
  <a className="link" href={hrefOf(page, id)}>
    {id}
  </a>
);

function factsOf({ case_id, set_id, version, trace_id, agent_id, updated_at }: RegressionCase): Fact[] {
  const { facts } = texts;
  return [
    { name: facts.id, value: <code>{case_id}</code> },
    { name: facts.set, value: set_id },
    { name: facts.version, value: texts.version(version) },
    { name: facts.from, value: trace_id === null ? texts.byHand : <TraceLink id={trace_id} /> },
    { name: facts.by, value: linkTo('agents', agent_id) },
    {
      name: facts.at,
      value: (
        <time dateTime={updated_at} title={fullTimeOf(updated_at)}>
          {dayAndTime(updated_at)}
        </time>
      ),
    },
  ];
}

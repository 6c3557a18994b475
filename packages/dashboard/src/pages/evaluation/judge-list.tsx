import { useState } from 'react';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { ago, fullTimeOf, percent } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ErrorState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import { BudgetPart } from './budget-part.tsx';
import evaluationStyles from './evaluation.module.css';
import { FIRST_JUDGE, JUDGE_ANSWERS, type ListedJudge, targetOf } from './evaluation-data.ts';
import { JudgeForm } from './judge-form.tsx';
import { Passed } from './judge-passed.tsx';
import { type JudgeResults, useJudgeResults } from './judge-results.ts';
import { NoneYet } from './none-yet.tsx';
import { StatusList } from './status-list.tsx';

const texts = evaluation.judges;
const STATUSES = ['', 'active', 'draft', 'archived'] as const;
type JudgesStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<JudgesStatus>('', STATUSES) };
const PAGE = 50;

export const STATUS_TONES = { active: 'good', draft: 'mute', archived: 'warn' } as const;

/** All judges, by id. */
export function JudgeList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ status }, set] = useSearch(parameters);
  const [isCreating, setCreating] = useState(false);
  const input = { limit: PAGE, ...(status === '' ? {} : { status }) };
  const call = { name: 'judges.list', input } as const;
  const pages = usePages('judges.list', input);
  const judges = pages.data?.pages.flatMap((page) => page.judges) ?? [];
  const results = useJudgeResults();
  const seeding = useAction('judges.seed', {
    changes: JUDGE_ANSWERS,
    onDone: ({ created }) => showToast(texts.seeded(created.length)),
  });
  const seed = () => seeding.mutate({});
  useCommands([
    { id: 'new-judge', label: texts.add, keys: 'n', group: 'page', run: () => setCreating(true) },
    { id: 'seed-judges', label: texts.seed, group: 'page', run: seed },
  ]);
  return (
    <>
      <StatusList
        texts={texts}
        statuses={STATUSES}
        status={status}
        onStatus={(next) => set({ status: next })}
        call={call}
        pages={pages}
        rows={judges}
        columns={columnsAt(now, results)}
        keyOf={({ judge_id }) => judge_id}
        onOpen={({ judge_id }) => navigate(hrefOf('judges', judge_id))}
        none={<NoneYet texts={texts} status={status === '' ? undefined : texts.statusOf[status]} first={FIRST_JUDGE} />}
        actions={
          <>
            {pages.data && judges.length === 0 && (
              <Button onClick={seed} disabled={seeding.isPending}>
                {texts.seed}
              </Button>
            )}
            <Button kind="ink" onClick={() => setCreating(true)}>
              {texts.add}
            </Button>
          </>
        }
      />
      {seeding.error !== null && <ErrorState error={seeding.error} isAction />}
      <div className={evaluationStyles.apart}>
        <BudgetPart />
      </div>
      {isCreating && <JudgeForm onClose={() => setCreating(false)} />}
    </>
  );
}

const columnsAt = (now: number, results: JudgeResults | undefined): readonly Column<ListedJudge>[] => [
  {
    id: 'name',
    head: texts.columns.name,
    phone: 'name',
    cell: ({ judge_id, name, version }) => (
      <span className={styles.branch}>
        <Icon name="scales" />
        <a className="strong cut" href={hrefOf('judges', judge_id)} title={judge_id}>
          {name}
        </a>
        <span className="third small">{texts.version(version)}</span>
      </span>
    ),
  },
  {
    id: 'kind',
    head: texts.columns.kind,
    width: 84,
    phone: 'hide',
    cell: ({ definition }) => <span className="second">{definition.kind}</span>,
  },
  {
    id: 'for',
    head: texts.columns.for,
    phone: 'detail',
    cell: (judge) => (
      <span className="second" title={targetOf(judge)}>
        {targetOf(judge)}
      </span>
    ),
  },
  {
    id: 'rate',
    head: texts.columns.rate,
    width: 84,
    end: true,
    phone: 'hide',
    cell: ({ sampling_rate }) => <span className="second">{percent(sampling_rate)}</span>,
  },
  ...(results === undefined ? [] : [passedColumn(results)]),
  {
    id: 'status',
    head: texts.columns.status,
    width: 104,
    phone: 'value',
    cell: ({ status }) => <Tag tone={STATUS_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  {
    id: 'changed',
    head: texts.columns.changed,
    width: 92,
    phone: 'time',
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
];

const passedColumn = ({ of, when }: JudgeResults): Column<ListedJudge> => ({
  ...{ id: 'passed', head: texts.columns.passed, width: 116, end: true, phone: 'hide' },
  cell: ({ judge_id }) => <Passed found={of(judge_id)} when={when} />,
});

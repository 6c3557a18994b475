import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { budget as texts } from '../../texts/budget.ts';
import { dayAndTime, fullTimeOf, money, number, shortNumber } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { BudgetForm } from './budget-form.tsx';
import styles from './evaluation.module.css';

const READ = { name: 'budgets.read', input: {} } as const;

export type Budget = Output<'budgets.read'>;
type PeriodRow = Budget['day'] & { id: 'day' | 'month' };

/** What models may cost and have cost, where the module answers and the key may see all of the account. */
export function BudgetPart() {
  return useInstalled([READ]).get(READ.name) === true ? <ShownBudget /> : null;
}

function ShownBudget() {
  const [isChanging, setChanging] = useState(false);
  const answer = useOperation(READ.name, READ.input);
  return (
    <Section
      title={texts.title}
      note={<span className="wide-only">{texts.note}</span>}
      bleed
      actions={
        <>
          <CopyAs call={READ} />
          <Button disabled={answer.data === undefined} onClick={() => setChanging(true)}>
            {texts.change}
          </Button>
        </>
      }
    >
      <Loaded answer={answer} call={READ} rows={2}>
        {({ day, month, models }) => (
          <>
            <Table
              label={texts.title}
              columns={columns}
              rows={[
                { ...day, id: 'day' },
                { ...month, id: 'month' },
              ]}
              keyOf={({ id }) => id}
            />
            <p className={`${styles.none} ${styles.below} third small`}>
              {models.length === 0 ? texts.noModel : texts.models(models.join(', '))}
            </p>
          </>
        )}
      </Loaded>
      {isChanging && answer.data && <BudgetForm budget={answer.data} onClose={() => setChanging(false)} />}
    </Section>
  );
}

const within = (used: string, limit: string | null): string => (limit === null ? used : texts.of(used, limit));

const columns: readonly Column<PeriodRow>[] = [
  {
    ...{ id: 'period', head: texts.columns.period, phone: 'name' },
    cell: ({ id, is_spent }) => (
      <span className="line">
        <span className="strong">{texts.periods[id]}</span>
        {is_spent && <Tag tone="warn">{texts.spent}</Tag>}
      </span>
    ),
  },
  {
    ...{ id: 'calls', head: texts.columns.calls, width: 140, end: true, phone: 'detail' },
    cell: ({ calls, max_calls }) => (
      <span className="second">
        {within(number(calls), max_calls === null ? null : number(max_calls))}{' '}
        <span className="phone-only">{texts.calls}</span>
      </span>
    ),
  },
  {
    ...{ id: 'failed', head: texts.columns.failed, width: 84, end: true, phone: 'hide' },
    cell: ({ failed }) => <span className={failed > 0 ? 'bad' : 'second'}>{number(failed)}</span>,
  },
  {
    ...{ id: 'cost', head: texts.columns.cost, width: 140, end: true, phone: 'value' },
    cell: ({ cost_usd, max_usd }) => (
      <span className="second">{within(money(cost_usd), max_usd === null ? null : money(max_usd))}</span>
    ),
  },
  {
    ...{ id: 'tokens', head: texts.columns.tokens, width: 160, end: true, phone: 'hide' },
    cell: ({ input_tokens, output_tokens }) => (
      <span className="second">{texts.tokens(shortNumber(input_tokens), shortNumber(output_tokens))}</span>
    ),
  },
  {
    ...{ id: 'until', head: texts.columns.until, width: 140, phone: 'time' },
    cell: ({ until }) => (
      <time className="third" dateTime={until} title={fullTimeOf(until)}>
        {dayAndTime(until)}
      </time>
    ),
  },
];

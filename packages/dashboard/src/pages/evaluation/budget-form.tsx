import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { budget as budgetTexts } from '../../texts/budget.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import type { Budget } from './budget-part.tsx';
import styles from './evaluation.module.css';

const texts = budgetTexts.form;
const BOUNDS = ['day_calls', 'day_usd', 'month_calls', 'month_usd'] as const;
type BoundFields = Record<(typeof BOUNDS)[number], string>;

const asText = (bound: number | null): string => (bound === null ? '' : String(bound));
const asBound = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** What the account may spend on models. Only what was changed is set. */
export function BudgetForm({ budget: { day, month }, onClose }: { budget: Budget; onClose: () => void }) {
  const [first] = useState<BoundFields>({
    day_calls: asText(day.max_calls),
    day_usd: asText(day.max_usd),
    month_calls: asText(month.max_calls),
    month_usd: asText(month.max_usd),
  });
  const [form, setForm] = useState(first);
  const save = useAction('budgets.set', {
    changes: ['budgets.read'],
    onDone: () => {
      onClose();
      showToast(texts.saved);
    },
  });
  const submit = () => {
    const changed = BOUNDS.filter((bound) => form[bound] !== first[bound]);
    save.mutate(Object.fromEntries(changed.map((bound) => [bound, asBound(form[bound])])));
  };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <div className={styles.pair}>
        {BOUNDS.map((bound) => (
          <Field key={bound} label={texts[bound]}>
            {(field) => (
              <input
                {...field}
                type="number"
                min={0}
                step={bound.endsWith('calls') ? 1 : 'any'}
                autoComplete="off"
                value={form[bound]}
                onChange={(event) => setForm({ ...form, [bound]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </FormDialog>
  );
}

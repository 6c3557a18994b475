import { useState } from 'react';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { evaluation } from '../../texts/evaluation.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import styles from './evaluation.module.css';
import { BACKFILL_ANSWERS } from './evaluation-data.ts';
import { useSourceNames } from './source-names.ts';

const texts = evaluation.backfills.form;

type BackfillFields = { judge: string; agent: string; since: string; limit: string; rate: string };

/** Starts one; how far it is, the list of them shows. */
export function StartBackfill({ judgeId = '', onClose }: { judgeId?: string; onClose: () => void }) {
  const [form, setForm] = useState<BackfillFields>({ judge: judgeId, agent: '', since: '', limit: '', rate: '1' });
  const judges = useOperation('judges.list', { limit: 100 });
  const ids = judges.data?.judges.map(({ judge_id }) => judge_id) ?? [];
  const nameOf = useSourceNames();
  const start = useAction('backfills.create', {
    changes: BACKFILL_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.started);
      navigate(hrefOf('backfills'));
    },
  });
  const submit = () => {
    const { judge, agent, since, limit, rate } = form;
    start.mutate({
      ...(judge === '' ? {} : { judge_id: judge }),
      ...(agent.trim() === '' ? {} : { for_agent: agent.trim() }),
      ...(since === '' ? {} : { since: new Date(since).toISOString() }),
      ...(limit === '' ? {} : { limit: Number(limit) }),
      sampling_rate: Number(rate),
    });
  };
  const input = (
    label: string,
    member: keyof BackfillFields,
    more: { type?: string; min?: number; max?: number; step?: string } = {},
  ) => (
    <Field label={label}>
      {(field) => (
        <input
          {...field}
          {...more}
          autoComplete="off"
          value={form[member]}
          onChange={(event) => setForm({ ...form, [member]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={start.isPending}
      error={start.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <Field label={texts.judge}>
        {(field) => (
          <select {...field} value={form.judge} onChange={(event) => setForm({ ...form, judge: event.target.value })}>
            <option value="">{evaluation.backfills.allJudges}</option>
            {[...new Set([...ids, ...(judgeId === '' ? [] : [judgeId])])].map((id) => (
              <option key={id} value={id}>
                {nameOf('judge', id)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className={styles.pair}>
        {input(texts.agent, 'agent')}
        {input(texts.since, 'since', { type: 'datetime-local' })}
        {input(texts.limit, 'limit', { type: 'number', min: 1 })}
        {input(texts.rate, 'rate', { type: 'number', min: 0, max: 1, step: 'any' })}
      </div>
    </FormDialog>
  );
}

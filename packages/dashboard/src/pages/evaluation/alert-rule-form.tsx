import { useState } from 'react';
import type { OperationName, Request } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { alerts } from '../../texts/incidents.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import styles from './evaluation.module.css';

const texts = alerts.form;

type RuleFields = {
  id: string;
  metric: Request<'alert_rules.create'>['metric'];
  judge: string;
  above: string;
  agent: string;
  window: string;
  cooldown: string;
};
type TextField = Exclude<keyof RuleFields, 'metric' | 'judge'>;

const FIRST: RuleFields = {
  ...{ id: '', metric: 'failure_rate', judge: '', above: '0.2', agent: '', window: '60', cooldown: '60' },
};

/** A new rule. What the service refuses is said below the fields. */
export function AlertRuleForm({ changes, onClose }: { changes: readonly OperationName[]; onClose: () => void }) {
  const [form, setForm] = useState(FIRST);
  const change = (next: Partial<RuleFields>) => setForm({ ...form, ...next });
  const judges = useOperation('judges.list', { limit: 100 });
  const create = useAction('alert_rules.create', {
    changes,
    onDone: ({ rule_id }) => {
      onClose();
      showToast(texts.created(rule_id));
    },
  });
  const submit = () => {
    const { id, metric, judge, above, agent, window, cooldown } = form;
    create.mutate({
      ...{ rule_id: id.trim(), metric, above: Number(above) },
      ...{ window_minutes: Number(window), cooldown_minutes: Number(cooldown) },
      ...(metric === 'failure_rate' && judge !== '' ? { judge_id: judge } : {}),
      ...(agent.trim() === '' ? {} : { for_agent: agent.trim() }),
    });
  };
  const text = (label: string, member: TextField, more: { hint?: string; type?: string } = {}) => (
    <Field label={label} {...(more.hint === undefined ? {} : { hint: more.hint })}>
      {(field) => (
        <input
          {...field}
          {...(more.type === 'number' ? { type: 'number', min: 0, step: 'any' } : {})}
          required={member !== 'agent'}
          autoComplete="off"
          spellCheck={false}
          value={form[member]}
          onChange={(event) => change({ [member]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={styles.pair}>
        {text(texts.id, 'id', { hint: texts.idHint })}
        <Field label={texts.metric}>
          {(field) => (
            <select
              {...field}
              value={form.metric}
              onChange={(event) => change({ metric: event.target.value as RuleFields['metric'] })}
            >
              {Object.entries(alerts.metrics).map(([metric, label]) => (
                <option key={metric} value={metric}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {form.metric === 'failure_rate' && (
          <Field label={texts.judge}>
            {(field) => (
              <select
                {...field}
                required
                value={form.judge}
                onChange={(event) => change({ judge: event.target.value })}
              >
                <option value="" />
                {judges.data?.judges.map(({ judge_id, name }) => (
                  <option key={judge_id} value={judge_id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {text(texts.above, 'above', { type: 'number' })}
        {text(texts.window, 'window', { type: 'number' })}
        {text(texts.cooldown, 'cooldown', { type: 'number' })}
        {text(texts.agent, 'agent')}
      </div>
    </FormDialog>
  );
}

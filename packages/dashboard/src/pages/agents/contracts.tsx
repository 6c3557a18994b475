import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction } from '../../data/query.ts';
import { agents } from '../../texts/agents.ts';
import { confidence, number } from '../../texts/format.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './agents.module.css';

const texts = agents.contracts;
export type AgentContract = Output<'agents.profile'>['contracts'][number];

/** A rule in words: what a write must keep to. */
export function ruleWords(rule: AgentContract): string {
  const { min_confidence: min = null, max_confidence: max = null, required_fields = [], ttl_required } = rule;
  const between =
    min !== null && max !== null
      ? texts.between(confidence(min), confidence(max))
      : min !== null
        ? texts.atLeast(confidence(min))
        : max !== null
          ? texts.atMost(confidence(max))
          : '';
  const fields = required_fields.length === 0 ? '' : `${texts.mustSay} ${required_fields.join(', ')}`;
  const words = [between, fields, ttl_required ? texts.mustExpire : ''].filter((part) => part !== '');
  return words.length === 0 ? texts.any : words.join(', ');
}

type ContractsProps = { agent: string; contracts: readonly AgentContract[]; editable?: boolean };

/** The rules that an agent keeps to, with ways to add one and to take one away. */
export function Contracts({ agent, contracts, editable = false }: ContractsProps) {
  const [isAdding, setAdding] = useState(false);
  const set = useAction('agents.set_contracts', { changes: ['agents.profile'] });
  const put = (next: readonly AgentContract[]) => set.mutateAsync({ agent_id: agent, contracts: [...next] });
  const remove = async (rule: AgentContract) => {
    try {
      await put(contracts.filter((other) => other !== rule));
      showToast(texts.removed(rule.entity_path), () => void put(contracts));
    } catch (error) {
      showToast(problemOf(error).detail);
    }
  };
  return (
    <Section
      title={texts.title}
      note={contracts.length > 0 ? number(contracts.length) : undefined}
      actions={editable && <Button onClick={() => setAdding(true)}>{texts.add}</Button>}
    >
      {contracts.length === 0 && <p className="third">{texts.nothing}</p>}
      <ul className={styles.rules}>
        {contracts.map((rule) => (
          <li key={JSON.stringify(rule)} className={styles.rule}>
            <div className="line">
              <span className="mono grow">
                {rule.entity_path}
                {rule.key_pattern !== '*' && <span className="strong">/{rule.key_pattern}</span>}
              </span>
              {editable && (
                <Button
                  kind="quiet"
                  icon="close"
                  aria-label={texts.remove(rule.entity_path)}
                  disabled={set.isPending}
                  onClick={() => void remove(rule)}
                />
              )}
            </div>
            <p className="second small">{ruleWords(rule)}</p>
            {rule.description !== '' && <p className="third small">{rule.description}</p>}
          </li>
        ))}
      </ul>
      {isAdding && (
        <RuleDialog
          agent={agent}
          error={set.isError ? problemOf(set.error).detail : undefined}
          busy={set.isPending}
          onClose={() => setAdding(false)}
          onSave={async (rule) => {
            await put([...contracts, rule]);
            setAdding(false);
            showToast(texts.added(rule.entity_path), () => void put(contracts));
          }}
        />
      )}
    </Section>
  );
}

type RuleDialogProps = {
  agent: string;
  error: string | undefined;
  busy: boolean;
  onClose: () => void;
  onSave: (rule: AgentContract) => Promise<void>;
};

const EMPTY = { path: '', key: '*', min: '', max: '', fields: '', ttl: false, description: '' };
const share = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function RuleDialog({ agent, error, busy, onClose, onSave }: RuleDialogProps) {
  const [form, setForm] = useState(EMPTY);
  const change = (next: Partial<typeof EMPTY>) => setForm({ ...form, ...next });
  const save = () =>
    onSave({
      entity_path: form.path.trim(),
      key_pattern: form.key.trim() === '' ? '*' : form.key.trim(),
      min_confidence: share(form.min),
      max_confidence: share(form.max),
      required_fields: form.fields
        .split(',')
        .map((field) => field.trim())
        .filter((field) => field !== ''),
      ttl_required: form.ttl,
      description: form.description.trim(),
    });
  return (
    <Dialog title={texts.addTitle(agent)} onClose={onClose}>
      <p className="second">{texts.addHint}</p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          // What the service refuses is shown below.
          save().catch(() => {});
        }}
      >
        <TextField
          label={texts.path}
          hint={texts.pathHint}
          value={form.path}
          required
          onChange={(path) => change({ path })}
        />
        <TextField label={texts.key} value={form.key} onChange={(key) => change({ key })} />
        <TextField label={texts.min} number value={form.min} onChange={(min) => change({ min })} />
        <TextField label={texts.max} number value={form.max} onChange={(max) => change({ max })} />
        <div className={styles.wide}>
          <TextField
            label={texts.fields}
            hint={texts.fieldsHint}
            value={form.fields}
            onChange={(fields) => change({ fields })}
          />
        </div>
        <div className={styles.wide}>
          <TextField
            label={texts.description}
            value={form.description}
            onChange={(description) => change({ description })}
          />
        </div>
        <label className={`${styles.check} ${styles.wide}`}>
          <input type="checkbox" checked={form.ttl} onChange={({ target }) => change({ ttl: target.checked })} />
          {texts.ttl}
        </label>
        {error !== undefined && (
          <p className={`bad ${styles.wide}`} role="alert">
            {error}
          </p>
        )}
        <div className={styles.wide}>
          <DialogActions>
            <Button onClick={onClose}>{ui.cancel}</Button>
            <Button kind="ink" submit busy={busy} disabled={form.path.trim() === ''}>
              {texts.save}
            </Button>
          </DialogActions>
        </div>
      </form>
    </Dialog>
  );
}

type TextFieldProps = {
  label: string;
  hint?: string;
  value: string;
  required?: boolean;
  number?: boolean;
  onChange: (value: string) => void;
};

function TextField({ label, hint, value, required = false, number: isNumber = false, onChange }: TextFieldProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(field) => (
        <input
          {...field}
          value={value}
          required={required}
          autoComplete="off"
          spellCheck={false}
          {...(isNumber ? { type: 'number', min: 0, max: 1, step: 0.01 } : {})}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

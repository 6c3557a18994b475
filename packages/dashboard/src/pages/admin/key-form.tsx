import { useState } from 'react';
import type { Request } from '../../data/client.ts';
import { keysTexts } from '../../texts/admin.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import styles from './admin.module.css';

const texts = keysTexts.form;
const TYPES = ['agent', 'admin', 'service'] as const;
type KeyType = (typeof TYPES)[number];
const PERMISSIONS = ['READ_WRITE', 'READ', 'WRITE'] as const;
const EXPIRIES = ['never', '7', '30', '90', '365'] as const;
const TYPE_CHOICES = TYPES.map((value) => ({ value, label: keysTexts.types[value].name }));
const PERMISSION_CHOICES = PERMISSIONS.map((value) => ({ value, label: keysTexts.permissions[value] }));
const EXPIRY_CHOICES = EXPIRIES.map((value) => ({ value, label: texts.expiries[value] }));
const DAY_MS = 86_400_000;

type KeyRequest = Request<'keys.create'>;
type ScopeDraft = { id: number; pattern: string; permission: (typeof PERMISSIONS)[number] };

const START = {
  name: '',
  type: 'agent' as KeyType,
  scopes: [{ id: 0, pattern: '*', permission: 'READ_WRITE' }] as ScopeDraft[],
  agents: '',
  branch: '',
  rate: '',
  expires: '90' as (typeof EXPIRIES)[number],
};
type KeyDraft = typeof START;

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function requestOf({ name, type, scopes, agents, branch, rate, expires }: KeyDraft): KeyRequest {
  return {
    name: name.trim(),
    key_type: type,
    scopes: scopes.map(({ pattern, permission }) => ({ pattern: pattern.trim(), permission })),
    ...(type === 'admin' || agents.trim() === '' ? {} : { agent_ids: listOf(agents) }),
    ...(branch.trim() === '' ? {} : { default_branch: branch.trim() }),
    ...(rate.trim() === '' ? {} : { rate_limit_rpm: Number(rate) }),
    ...(expires === 'never' ? {} : { expires_at: new Date(Date.now() + Number(expires) * DAY_MS).toISOString() }),
  };
}

type KeyFormProps = {
  busy: boolean;
  error: string | undefined;
  onCreate: (request: KeyRequest) => void;
  onClose: () => void;
};

export function KeyForm({ busy, error, onCreate, onClose }: KeyFormProps) {
  const [draft, setDraft] = useState(START);
  const change = (next: Partial<KeyDraft>) => setDraft({ ...draft, ...next });
  return (
    <Dialog title={texts.title} onClose={onClose} wide>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          onCreate(requestOf(draft));
        }}
      >
        <Field label={texts.name} hint={texts.nameHint}>
          {(field) => (
            <input
              {...field}
              required
              autoComplete="off"
              value={draft.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </Field>
        <Field label={texts.type} hint={keysTexts.types[draft.type].hint}>
          {(field) => (
            <Select {...field} value={draft.type} choices={TYPE_CHOICES} onChange={(type) => change({ type })} />
          )}
        </Field>
        <div className={styles.wide}>
          <Scopes scopes={draft.scopes} onChange={(scopes) => change({ scopes })} />
        </div>
        {draft.type !== 'admin' && (
          <Plain
            label={texts.agents}
            hint={texts.agentsHint}
            value={draft.agents}
            onChange={(agents) => change({ agents })}
          />
        )}
        <Plain
          label={texts.branch}
          hint={texts.branchHint}
          value={draft.branch}
          onChange={(branch) => change({ branch })}
        />
        <Plain
          label={texts.rate}
          hint={texts.rateHint}
          value={draft.rate}
          isNumber
          onChange={(rate) => change({ rate })}
        />
        <Field label={texts.expires}>
          {(field) => (
            <Select
              {...field}
              value={draft.expires}
              choices={EXPIRY_CHOICES}
              onChange={(expires) => change({ expires })}
            />
          )}
        </Field>
        {error !== undefined && (
          <p className={`bad ${styles.wide}`} role="alert">
            {error}
          </p>
        )}
        <div className={styles.wide}>
          <DialogActions>
            <Button onClick={onClose}>{ui.cancel}</Button>
            <Button kind="ink" submit busy={busy} disabled={draft.name.trim() === ''}>
              {texts.submit}
            </Button>
          </DialogActions>
        </div>
      </form>
    </Dialog>
  );
}

type PlainProps = { label: string; hint: string; value: string; isNumber?: boolean; onChange: (value: string) => void };

function Plain({ label, hint, value, isNumber = false, onChange }: PlainProps) {
  return (
    <Field label={label} hint={hint}>
      {(field) => (
        <input
          {...field}
          autoComplete="off"
          spellCheck={false}
          value={value}
          {...(isNumber ? { type: 'number', min: 1, step: 1 } : {})}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

type ScopesProps = { scopes: readonly ScopeDraft[]; onChange: (scopes: ScopeDraft[]) => void };

/** Where the key may do what: a path and a permission in each row. */
function Scopes({ scopes, onChange }: ScopesProps) {
  const set = (id: number, next: Partial<ScopeDraft>) =>
    onChange(scopes.map((scope) => (scope.id === id ? { ...scope, ...next } : scope)));
  const add = () =>
    onChange([...scopes, { id: Math.max(...scopes.map(({ id }) => id)) + 1, pattern: '', permission: 'READ' }]);
  return (
    <Field label={texts.scopes} hint={texts.scopesHint}>
      {({ className, ...field }) => (
        <div className={styles.scopes}>
          {scopes.map(({ id, pattern, permission }, i) => (
            <div key={id} className={styles.scope}>
              <input
                {...(i === 0 ? field : { 'aria-label': texts.pattern })}
                className={className}
                required
                autoComplete="off"
                spellCheck={false}
                value={pattern}
                onChange={({ target }) => set(id, { pattern: target.value })}
              />
              <Select
                label={texts.permission}
                value={permission}
                choices={PERMISSION_CHOICES}
                onChange={(next) => set(id, { permission: next })}
              />
              <Button
                kind="quiet"
                icon="close"
                aria-label={texts.removeScope(i + 1)}
                disabled={scopes.length === 1}
                onClick={() => onChange(scopes.filter((scope) => scope.id !== id))}
              />
            </div>
          ))}
          <div>
            <Button icon="plus" onClick={add}>
              {texts.addScope}
            </Button>
          </div>
        </div>
      )}
    </Field>
  );
}

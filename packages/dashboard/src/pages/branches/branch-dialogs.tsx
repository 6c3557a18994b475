import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { branches } from '../../texts/branches.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS, type BranchWithCounts } from './branch-data.ts';
import styles from './branches.module.css';
import { FormDialog } from './form-dialog.tsx';
import { RefField } from './ref-field.tsx';

export function CreateBranch({ from = 'main', onClose }: { from?: string; onClose: () => void }) {
  const texts = branches.create;
  const [name, setName] = useState('');
  const [parent, setParent] = useState(from);
  const [description, setDescription] = useState('');
  const create = useAction('branches.create', {
    changes: BRANCH_ANSWERS,
    onDone: (branch) => {
      onClose();
      showToast(texts.done(branch.name));
      navigate(hrefOf('branches', branch.name));
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      disabled={name === ''}
      onSubmit={() => create.mutate({ name, from: parent, description })}
      onClose={onClose}
    >
      <Field label={texts.name} hint={texts.nameHint}>
        {(field) => (
          <input
            {...field}
            className={`${field.className} mono`}
            value={name}
            required
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <RefField label={texts.from} value={parent} onChange={setParent} hint={texts.fromHint} isRequired />
      <Field label={texts.description}>
        {(field) => <input {...field} value={description} onChange={(event) => setDescription(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

export function DescribeBranch({ branch, onClose }: { branch: BranchWithCounts; onClose: () => void }) {
  const texts = branches.describe;
  const [description, setDescription] = useState(branch.description);
  const update = useAction('branches.update', { changes: BRANCH_ANSWERS, onDone: onClose });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={update.isPending}
      error={update.error}
      onSubmit={() => update.mutate({ name: branch.name, description })}
      onClose={onClose}
    >
      <Field label={branches.create.description}>
        {(field) => (
          <textarea {...field} value={description} onChange={(event) => setDescription(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

const namesOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** What a merge into the branch needs. */
export function ProtectBranch({ branch, onClose }: { branch: BranchWithCounts; onClose: () => void }) {
  const texts = branches.protect;
  const { protection, name } = branch;
  const [approvals, setApprovals] = useState(String(protection?.required_approvals ?? 1));
  const [dismisses, setDismisses] = useState(protection?.dismisses_approvals ?? true);
  const [checks, setChecks] = useState(protection?.required_checks?.join(', ') ?? 'conflicts');
  const protect = useAction('branches.protect', {
    changes: BRANCH_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.done(name));
    },
  });
  const submit = () =>
    protect.mutate({
      name,
      required_approvals: Number(approvals),
      dismisses_approvals: dismisses,
      required_checks: namesOf(checks),
    });
  return (
    <FormDialog
      title={texts.title(name)}
      submit={texts.submit}
      busy={protect.isPending}
      error={protect.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <Field label={texts.approvals}>
        {(field) => (
          <input
            {...field}
            type="number"
            min="0"
            max="20"
            required
            value={approvals}
            onChange={(event) => setApprovals(event.target.value)}
          />
        )}
      </Field>
      <label className={styles.check}>
        <input type="checkbox" checked={dismisses} onChange={(event) => setDismisses(event.target.checked)} />
        {texts.dismisses}
      </label>
      <Field label={texts.checks} hint={texts.checksHint}>
        {(field) => (
          <input
            {...field}
            className={`${field.className} mono`}
            value={checks}
            spellCheck={false}
            onChange={(event) => setChecks(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

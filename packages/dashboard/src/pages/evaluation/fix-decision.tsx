import { useState } from 'react';
import type { OperationName } from '../../data/client.ts';
import { useAction } from '../../data/query.ts';
import { fixes as texts } from '../../texts/fixes.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';

type FixDecisionProps = {
  fix: { fix_id: string; branch: string };
  decision: 'approve' | 'dismiss';
  changes: readonly OperationName[];
  onClose: () => void;
};

const WORDS = {
  approve: { title: texts.approveTitle, hint: texts.approveHint, submit: texts.approve },
  dismiss: { title: texts.dismissTitle, hint: texts.dismissHint, submit: texts.dismiss },
} as const;

/** Approves or dismisses a fix, with a reason. */
export function FixDecision({ fix, decision, changes, onClose }: FixDecisionProps) {
  const [reason, setReason] = useState('');
  const done = (text: string) => () => {
    onClose();
    showToast(text);
  };
  const approve = useAction('fixes.approve', { changes, onDone: done(texts.approved) });
  const dismiss = useAction('fixes.dismiss', { changes, onDone: done(texts.dismissed) });
  const action = decision === 'approve' ? approve : dismiss;
  const { title, hint, submit } = WORDS[decision];
  return (
    <FormDialog
      title={title}
      submit={submit}
      busy={action.isPending}
      error={action.error}
      onSubmit={() => action.mutate({ fix_id: fix.fix_id, reason })}
      onClose={onClose}
    >
      <p className="second">{hint(fix.branch)}</p>
      <Field label={texts.reason}>
        {(field) => <textarea {...field} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

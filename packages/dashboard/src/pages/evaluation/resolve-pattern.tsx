import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { patterns as texts } from '../../texts/patterns.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { PATTERN_ANSWERS } from './pattern-data.ts';

/** Resolves a pattern, with what was done about it. */
export function ResolvePattern({ patternId, onClose }: { patternId: string; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const resolve = useAction('detected_patterns.resolve', {
    changes: PATTERN_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.resolved);
    },
  });
  return (
    <FormDialog
      title={texts.resolveTitle}
      submit={texts.resolve}
      busy={resolve.isPending}
      error={resolve.error}
      onSubmit={() => resolve.mutate({ pattern_id: patternId, reason })}
      onClose={onClose}
    >
      <p className="second">{texts.resolveHint}</p>
      <Field label={texts.reason}>
        {(field) => <textarea {...field} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { Field, Segmented } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { type ListedVerdict, VERDICT_ANSWERS } from './evaluation-data.ts';

const texts = evaluation.human;
const FOUND = ['pass', 'fail'] as const;

/** What a person finds in the trace instead. It can be undone for ten seconds, and taken back later. */
export function OverruleDialog({ verdict, onClose }: { verdict: ListedVerdict; onClose: () => void }) {
  const { trace_id, judge_id, judge_result, human } = verdict;
  const [result, setResult] = useState<(typeof FOUND)[number]>(judge_result === 'pass' ? 'fail' : 'pass');
  const [reason, setReason] = useState(human?.reason ?? '');
  const undo = useAction('verdicts.overrule', { changes: VERDICT_ANSWERS });
  const overrule = useAction('verdicts.overrule', {
    changes: VERDICT_ANSWERS,
    onDone: ({ overruled }) => {
      onClose();
      const before = human ? { result: human.result, reason: human.reason } : { result: null };
      showToast(texts.done(overruled), () => undo.mutate({ trace_id, judge_id, ...before }));
    },
  });
  return (
    <FormDialog
      title={texts.overruleTitle(judge_id)}
      submit={texts.submit}
      busy={overrule.isPending}
      error={overrule.error}
      onSubmit={() => overrule.mutate({ trace_id, judge_id, result, reason })}
      onClose={onClose}
    >
      <p className="second">{texts.overruleHint}</p>
      <div>
        <Segmented
          label={texts.found}
          value={result}
          choices={FOUND.map((value) => ({ value, label: texts[value] }))}
          onChange={setResult}
        />
      </div>
      <Field label={texts.reason}>
        {(field) => <textarea {...field} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { pulls } from '../../texts/pulls.ts';
import { Field, Segmented } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { PULL_ANSWERS, type ReviewWord, type WholePull } from './pull-data.ts';

const texts = pulls.reviews;
const DECISIONS: readonly ReviewWord[] = ['approved', 'changes_requested', 'commented'];

/** What is reviewed: the whole, or one entry. */
export type Reviewed = { decision: ReviewWord; entity_path?: string; key?: string };

type ReviewDialogProps = { pull: WholePull; reviewed: Reviewed; onClose: () => void };

export function ReviewDialog({ pull: { id }, reviewed, onClose }: ReviewDialogProps) {
  const { entity_path, key } = reviewed;
  const [decision, setDecision] = useState<ReviewWord>(reviewed.decision);
  const [comment, setComment] = useState('');
  const review = useAction('pull_requests.review', {
    changes: PULL_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.done[decision]);
    },
  });
  const of = entity_path === undefined || key === undefined ? {} : { entity_path, key };
  return (
    <FormDialog
      title={entity_path === undefined ? texts.dialog : texts.dialogOf(`${entity_path}/${key}`)}
      submit={texts.submit[decision]}
      busy={review.isPending}
      error={review.error}
      disabled={decision === 'commented' && comment.trim() === ''}
      onSubmit={() => review.mutate({ id, decision, comment, ...of })}
      onClose={onClose}
    >
      <Segmented
        label={texts.decision}
        value={decision}
        choices={DECISIONS.map((value) => ({ value, label: texts.submit[value] }))}
        onChange={setDecision}
      />
      <Field label={texts.words}>
        {(field) => (
          <textarea {...field} rows={4} value={comment} onChange={(event) => setComment(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

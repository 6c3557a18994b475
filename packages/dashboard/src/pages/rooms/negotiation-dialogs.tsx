import { useState } from 'react';
import type { OperationName } from '../../data/client.ts';
import { useAction } from '../../data/query.ts';
import { negotiations } from '../../texts/negotiations.ts';
import { Field } from '../../ui/choices.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import type { WholeNegotiation } from './negotiation.tsx';

const CHANGES: readonly OperationName[] = ['negotiations.list', 'negotiations.read', 'rooms.updates'];
const ANSWERS = ['accept', 'reject', 'abstain', 'counter'] as const;
type Action = (typeof ANSWERS)[number] | 'propose';

type NewProps = { roomId: string; onClose: () => void; onDone: (negotiationId: string) => void };

/** Begins one with all agents that have joined the room. */
export function NewNegotiation({ roomId, onClose, onDone }: NewProps) {
  const texts = negotiations.addForm;
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const create = useAction('negotiations.create', {
    changes: CHANGES,
    onDone: ({ negotiation_id }) => {
      onClose();
      onDone(negotiation_id);
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      disabled={title.trim() === ''}
      onSubmit={() => create.mutate({ room_id: roomId, title: title.trim(), description })}
      onClose={onClose}
    >
      <Field label={texts.name} hint={texts.hint}>
        {(field) => (
          <input {...field} required maxLength={256} value={title} onChange={({ target }) => setTitle(target.value)} />
        )}
      </Field>
      <Field label={texts.description}>
        {(field) => (
          <textarea
            {...field}
            maxLength={4096}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

type AnswerProps = { negotiation: WholeNegotiation; me: string; onClose: () => void };

/** The first proposal of a negotiation, an answer to the newest, or another one in its place. */
export function AnswerNegotiation({ negotiation, me, onClose }: AnswerProps) {
  const texts = negotiations.answerForm;
  const { room_id, negotiation_id, proposal: newest } = negotiation;
  // One's own proposal is not answered, but may give way to another.
  const actions: readonly Action[] = newest === null ? ['propose'] : newest.agent === me ? ['counter'] : ANSWERS;
  const [action, setAction] = useState<Action>(actions[0] as Action);
  const [proposal, setProposal] = useState(() => JSON.stringify(newest?.proposal ?? {}, null, 2));
  const [rationale, setRationale] = useState('');
  const isProposal = action === 'propose' || action === 'counter';
  const value = isProposal ? parse(proposal) : undefined;
  const step = useAction('negotiations.propose', {
    changes: CHANGES,
    onDone: () => {
      onClose();
      showToast(texts.done);
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={step.isPending}
      error={step.error}
      disabled={isProposal && value === undefined}
      onSubmit={() => step.mutate({ room_id, negotiation_id, action, rationale, ...value })}
      onClose={onClose}
      wide
    >
      <Field label={texts.action}>
        {(field) => (
          <Select
            {...field}
            value={action}
            choices={actions.map((one) => ({ value: one, label: texts.actions[one] }))}
            onChange={setAction}
          />
        )}
      </Field>
      {isProposal && (
        <Field label={texts.proposal} hint={texts.proposalHint} error={value === undefined ? texts.notJson : undefined}>
          {(field) => (
            <textarea
              {...field}
              className={`${field.className} mono`}
              rows={8}
              spellCheck={false}
              value={proposal}
              onChange={({ target }) => setProposal(target.value)}
            />
          )}
        </Field>
      )}
      <Field label={texts.rationale}>
        {(field) => (
          <textarea
            {...field}
            maxLength={4096}
            value={rationale}
            onChange={({ target }) => setRationale(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function parse(text: string): { proposal: never } | undefined {
  try {
    return { proposal: JSON.parse(text) as never };
  } catch {
    return undefined;
  }
}

export function CancelNegotiation({ negotiation, onClose }: Omit<AnswerProps, 'me'>) {
  const texts = negotiations.cancelForm;
  const { room_id, negotiation_id } = negotiation;
  const [reason, setReason] = useState('');
  const cancel = useAction('negotiations.cancel', {
    changes: CHANGES,
    onDone: () => {
      onClose();
      showToast(texts.done);
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={cancel.isPending}
      error={cancel.error}
      onSubmit={() => cancel.mutate({ room_id, negotiation_id, reason })}
      onClose={onClose}
    >
      <Field label={texts.reason} hint={texts.hint}>
        {(field) => (
          <textarea {...field} maxLength={2000} value={reason} onChange={({ target }) => setReason(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

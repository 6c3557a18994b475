import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { pulls } from '../../texts/pulls.ts';
import { Field } from '../../ui/choices.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { RefField } from '../branches/ref-field.tsx';
import { PULL_ANSWERS, type WholePull } from './pull-data.ts';

type OpenPullProps = { source?: string; target?: string; onClose: () => void };
type Words = { title: string; description: string };

export function OpenPull({ source = '', target = 'main', onClose }: OpenPullProps) {
  const texts = pulls.create;
  const [words, setWords] = useState<Words>({ title: '', description: '' });
  const [from, setFrom] = useState(source);
  const [into, setInto] = useState(target);
  const create = useAction('pull_requests.create', {
    changes: PULL_ANSWERS,
    onDone: ({ id }) => {
      onClose();
      navigate(hrefOf('pulls', id));
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      disabled={words.title.trim() === '' || from === ''}
      onSubmit={() => create.mutate({ ...words, source_branch: from, target_branch: into })}
      onClose={onClose}
    >
      <WordFields words={words} onChange={setWords} />
      <RefField label={texts.source} value={from} onChange={setFrom} isBranch isRequired />
      <RefField label={texts.target} value={into} onChange={setInto} isBranch isRequired />
    </FormDialog>
  );
}

export function EditPull({ pull, onClose }: { pull: WholePull; onClose: () => void }) {
  const [words, setWords] = useState<Words>({ title: pull.title, description: pull.description });
  const update = useAction('pull_requests.update', { changes: PULL_ANSWERS, onDone: onClose });
  return (
    <FormDialog
      title={pulls.edit.title}
      submit={pulls.edit.submit}
      busy={update.isPending}
      error={update.error}
      disabled={words.title.trim() === ''}
      onSubmit={() => update.mutate({ id: pull.id, ...words })}
      onClose={onClose}
    >
      <WordFields words={words} onChange={setWords} />
    </FormDialog>
  );
}

function WordFields({ words, onChange }: { words: Words; onChange: (words: Words) => void }) {
  return (
    <>
      <Field label={pulls.create.name}>
        {(field) => (
          <input
            {...field}
            value={words.title}
            required
            maxLength={200}
            onChange={(event) => onChange({ ...words, title: event.target.value })}
          />
        )}
      </Field>
      <Field label={pulls.create.description}>
        {(field) => (
          <textarea
            {...field}
            value={words.description}
            onChange={(event) => onChange({ ...words, description: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

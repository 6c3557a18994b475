import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { roomDocuments } from '../../texts/room-documents.ts';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { DOCUMENT_ANSWERS } from './room-data.ts';

const texts = roomDocuments.addForm;
const MAX_BYTES = 5 * 1024 * 1024;
/** So many bytes become text at once: more arguments than that are refused. */
const STEP = 32_768;

/** Hands a file of this machine over to everyone in the room. */
export function AddDocument({ roomId, onClose }: { roomId: string; onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [title, setTitle] = useState('');
  const [error, setError] = useState<unknown>(null);
  const add = useAction('room_documents.add', {
    changes: DOCUMENT_ANSWERS,
    onDone: ({ name }) => {
      onClose();
      showToast(texts.done(name));
    },
  });
  const isTooLarge = file !== undefined && file.size > MAX_BYTES;
  const submit = async () => {
    if (!file) return;
    try {
      const content = toBase64(new Uint8Array(await file.arrayBuffer()));
      const given = title.trim() === '' ? {} : { title: title.trim() };
      add.mutate({ room_id: roomId, name: file.name, content, encoding: 'base64', ...given });
    } catch (unreadable) {
      setError(unreadable);
    }
  };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={add.isPending}
      working={texts.working}
      error={add.error ?? error}
      disabled={file === undefined || isTooLarge}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={texts.file} hint={texts.hint} error={isTooLarge ? texts.tooLarge : undefined}>
        {({ className: _, ...field }) => (
          <input
            {...field}
            type="file"
            accept=".txt,.text,.log,.md,.markdown,.pdf,.docx"
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Field>
      <Field label={texts.name} hint={texts.nameHint}>
        {(field) => (
          <input
            {...field}
            maxLength={200}
            autoComplete="off"
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

import type { FormEvent, KeyboardEvent } from 'react';
import { useLiveFromNow } from '../../data/use-live.ts';
import { useCommands } from '../../shell/commands.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { EditConflict } from './edit-conflict.tsx';
import styles from './editor.module.css';
import { type PastVersion, useEntryRefresh, useHistory } from './entry-data.ts';
import page from './memory.module.css';
import type { MemoryAddress, ShownAddress } from './memory-address.ts';
import { type Editor, problemsOf, useEditor } from './use-editor.ts';

const texts = memory.editor;
const TYPES = ['fact', 'belief', 'experience', 'procedure'];

/** Writes a new entry. */
export const NewEntry = ({ address }: { address: MemoryAddress }) => (
  <article className={page.entry} aria-label={texts.newTitle}>
    <EditorForm address={address} entry={undefined} newest={undefined} />
  </article>
);

/** Writes the next version of an entry. */
export function EditEntry({ address, entry }: { address: MemoryAddress; entry: ShownAddress }) {
  const history = useHistory(entry);
  useLiveFromNow(useEntryRefresh(entry));
  return (
    <article className={page.entry} aria-label={texts.editTitle}>
      <Loaded answer={history} rows={8}>
        {({ pages }) => (
          <EditorForm key={JSON.stringify(entry)} address={address} entry={entry} newest={pages[0]?.versions[0]} />
        )}
      </Loaded>
    </article>
  );
}

type FormProps = { address: MemoryAddress; entry: ShownAddress | undefined; newest: PastVersion | undefined };

function EditorForm({ address, entry, newest }: FormProps) {
  const editor = useEditor(address, entry, newest);
  const { draft, theirs } = editor;
  const problems = problemsOf(draft);
  const isRight = Object.keys(problems).length === 0;
  const save = () => {
    if (isRight) editor.save();
  };
  useCommands([
    { id: 'save', label: texts.save, keys: 'mod+enter', group: 'page', run: save },
    { id: 'leave', label: texts.leave, keys: 'Escape', group: 'page', unlisted: true, run: editor.leave },
  ]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form className={styles.editor} onSubmit={submit} noValidate>
      <header className={page.entryTitle}>
        <div className="grow">
          {entry && <div className="mono third cut">{entry.entity_path}/</div>}
          <h1 className={page.entryName}>{entry ? entry.key : texts.newTitle}</h1>
        </div>
        <CopyAs call={{ name: 'entries.write', input: copiedInput(editor) }} short />
        <Button onClick={editor.leave}>{ui.cancel}</Button>
        <Button kind="ink" submit busy={editor.isSaving} disabled={!isRight || theirs !== undefined}>
          {draft.base > 0 ? texts.saveAs(draft.base + 1) : texts.save}
        </Button>
      </header>
      {editor.isKept && (
        <p className={`${styles.editorNote} small second`}>
          {texts.kept} <Button onClick={editor.giveUp}>{texts.discard}</Button>
        </p>
      )}
      {!theirs && newest && editor.isOvertaken && (
        <p className={`${styles.editorNote} small warn`} role="status">
          {texts.meanwhile(newest.version, newest.provenance.agent_id)}{' '}
          <Button onClick={() => editor.compare(newest)}>{texts.compare}</Button>
        </p>
      )}
      {theirs && <EditConflict editor={editor} theirs={theirs} />}
      {editor.error !== undefined && <ErrorState error={editor.error} isAction />}
      <EditorFields editor={editor} entry={entry} problems={problems} onSave={save} />
    </form>
  );
}

const copiedInput = ({ draft: { path, name, text, base } }: Editor) => ({
  entity_path: path,
  key: name,
  value: text,
  if_version: base,
});

type FieldsProps = {
  editor: Editor;
  entry: ShownAddress | undefined;
  problems: ReturnType<typeof problemsOf>;
  onSave: () => void;
};

function EditorFields({ editor: { draft, change, isChanged }, entry, problems, onSave }: FieldsProps) {
  const shownProblem = (problem: string | undefined, typed: string) => (typed === '' ? undefined : problem);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSave();
  };
  return (
    <>
      {!entry && (
        <div className={styles.editorPair}>
          <Field label={texts.path} hint={texts.pathHint}>
            {(field) => (
              <input
                {...field}
                autoComplete="off"
                spellCheck={false}
                // biome-ignore lint/a11y/noAutofocus: the form was asked for.
                autoFocus={draft.path === ''}
                value={draft.path}
                onChange={(event) => change({ path: event.target.value })}
              />
            )}
          </Field>
          <Field label={texts.key} hint={texts.keyHint}>
            {(field) => (
              <input
                {...field}
                autoComplete="off"
                spellCheck={false}
                // biome-ignore lint/a11y/noAutofocus: the form was asked for.
                autoFocus={draft.path !== ''}
                value={draft.name}
                onChange={(event) => change({ name: event.target.value })}
              />
            )}
          </Field>
        </div>
      )}
      <div className={styles.editorValue}>
        <Segmented
          label={memory.value.form}
          value={draft.form}
          choices={[
            { value: 'text', label: texts.text },
            { value: 'json', label: memory.value.json },
          ]}
          onChange={(form) => change({ form })}
        />
        <Field
          label={texts.value}
          error={shownProblem(problems.text, draft.text)}
          hint={isChanged ? texts.valueHint : texts.sameValue}
        >
          {(field) => (
            <textarea
              {...field}
              className={`${field.className} ${styles.valueInput}`}
              spellCheck={draft.form === 'text'}
              // biome-ignore lint/a11y/noAutofocus: the form was asked for.
              autoFocus={entry !== undefined}
              value={draft.text}
              onChange={(event) => change({ text: event.target.value })}
              onKeyDown={onKeyDown}
            />
          )}
        </Field>
      </div>
      <div className={styles.editorPair}>
        <Field label={texts.type}>
          {(field) => (
            <select {...field} value={draft.type} onChange={(event) => change({ type: event.target.value })}>
              {TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label={texts.confidence}
          hint={texts.confidenceHint}
          error={shownProblem(problems.confidence, draft.confidence)}
        >
          {(field) => (
            <input
              {...field}
              inputMode="decimal"
              autoComplete="off"
              value={draft.confidence}
              onChange={(event) => change({ confidence: event.target.value })}
            />
          )}
        </Field>
      </div>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={draft.isPrivate}
          onChange={(event) => change({ isPrivate: event.target.checked })}
        />
        {texts.private}
      </label>
    </>
  );
}

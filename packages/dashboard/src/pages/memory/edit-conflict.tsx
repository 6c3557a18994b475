import { useEffect, useRef } from 'react';
import { parseExactly } from '../../data/exact-json.ts';
import { dayAndTime } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Button } from '../../ui/button.tsx';
import { comparable, Diff } from '../../ui/diff.tsx';
import type { FormDraft } from './drafts.ts';
import styles from './editor.module.css';
import type { PastVersion } from './entry-data.ts';
import type { Editor } from './use-editor.ts';

const texts = memory.conflict;

/** JSON as the other side is shown: how somebody breaks lines is no difference. */
function printed({ form, text }: FormDraft): string {
  if (form !== 'json') return text;
  try {
    return comparable(parseExactly(text));
  } catch {
    return text;
  }
}

/** Somebody else wrote first: what they changed, what was typed here, and the ways on. */
export function EditConflict({ editor, theirs }: { editor: Editor; theirs: PastVersion }) {
  const { draft, keepMine, giveUp, isSaving } = editor;
  const { agent_id, written_at } = theirs.provenance;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section className={styles.conflict} aria-label={texts.title}>
      <h2 ref={head} tabIndex={-1} className="strong warn">
        {texts.title}
      </h2>
      <p className="second">
        {theirs.deleted
          ? texts.deleted(agent_id, dayAndTime(written_at))
          : texts.written(theirs.version, agent_id, dayAndTime(written_at))}{' '}
        {draft.base === 0 ? texts.basedOnNothing : texts.basedOn(draft.base)}
      </p>
      <div className={styles.conflictSides}>
        <div>
          <h3 className={styles.conflictName}>{texts.theirs(theirs.version)}</h3>
          <Diff
            label={texts.theirs(theirs.version)}
            json={draft.form === 'json'}
            before={draft.baseText}
            after={theirs.deleted ? '' : comparable(theirs.value)}
          />
        </div>
        <div>
          <h3 className={styles.conflictName}>{texts.yours}</h3>
          <Diff label={texts.yours} json={draft.form === 'json'} before={draft.baseText} after={printed(draft)} />
        </div>
      </div>
      <div className="line">
        <Button kind="ink" busy={isSaving} onClick={keepMine}>
          {texts.keepMine(theirs.version + 1)}
        </Button>
        <Button onClick={giveUp}>{texts.takeTheirs}</Button>
        <span className="third small">{texts.hint}</span>
      </div>
    </section>
  );
}

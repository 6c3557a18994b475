import { type ReactNode, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { branches } from '../../texts/branches.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { pick } from '../../texts/quarantine.ts';
import { classes } from '../../ui/classes.ts';
import { Diff } from '../../ui/diff.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Delta, EntryName, Tag, type Tone } from '../../ui/marks.tsx';
import styles from './changed.module.css';
import { LongValue, shortly } from './long-value.tsx';

const texts = branches.changed;

export type ChangedEntry = Output<'branches.compare'>['entries'][number];
type ChangedSide = NonNullable<ChangedEntry['from']>;
type ChangedField = ChangedEntry['changes'][number];

const TONES: Record<ChangedEntry['diff_type'], Tone> = { added: 'good', modified: 'mute', deleted: 'bad' };
/** More are folded at first. */
const OPEN_AT_FIRST = 20;
const LONG_TEXT = 80;

type ChangedEntriesProps = {
  entries: readonly ChangedEntry[];
  /** How many more there are that the caller may not see. */
  hidden?: number;
  /** What belongs below an entry, such as its reviews. */
  below?: (entry: ChangedEntry) => ReactNode;
  /** Where entries can be chosen, to do something with them. */
  choice?: EntriesChoice;
};

export type EntriesChoice = {
  isChosen: (entry: ChangedEntry) => boolean;
  onChoose: (entry: ChangedEntry, isChosen: boolean) => void;
};

/** What differs, entry by entry and field by field, as both sides have it. */
export function ChangedEntries({ entries, hidden = 0, below, choice }: ChangedEntriesProps) {
  useCommands([
    { id: 'next-entry', label: texts.next, keys: ']', group: 'page', run: () => step(1) },
    { id: 'previous-entry', label: texts.previous, keys: '[', group: 'page', run: () => step(-1) },
  ]);
  return (
    <>
      {entries.map((entry, i) => (
        <Changed
          key={`${entry.entity_path}/${entry.key}`}
          entry={entry}
          isOpenAtFirst={i < OPEN_AT_FIRST}
          below={below?.(entry)}
          choice={choice}
        />
      ))}
      {hidden > 0 && <p className={classes(styles.hidden, 'third')}>{texts.hidden(hidden)}</p>}
    </>
  );
}

/** `[` and `]` go from one to the next. */
function step(by: 1 | -1): void {
  const heads = [...document.querySelectorAll<HTMLElement>('[data-changed-entry]')];
  const at = heads.indexOf(document.activeElement as HTMLElement);
  const next = heads[at < 0 ? (by === 1 ? 0 : heads.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

type ChangedProps = {
  entry: ChangedEntry;
  isOpenAtFirst: boolean;
  below: ReactNode;
  choice: EntriesChoice | undefined;
};

function Changed({ entry, isOpenAtFirst, below, choice }: ChangedProps) {
  const { entity_path, key, diff_type, from, to } = entry;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const name = `${entity_path}/${key}`;
  const side = to ?? from;
  // A deletion has no confidence of its own.
  const isChange = from !== null && to !== null && to.deleted === undefined;
  const branch = side && side.branch !== 'main' ? { branch: side.branch } : {};
  return (
    <article className={styles.changed} aria-label={name}>
      <header className={styles.head}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-label={texts.show(name)}
          data-changed-entry
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
        {choice && to !== null && (
          <input
            type="checkbox"
            className={styles.choose}
            aria-label={pick.choose(name)}
            checked={choice.isChosen(entry)}
            onChange={({ target }) => choice.onChoose(entry, target.checked)}
          />
        )}
        <a className={styles.name} href={hrefOf('memory', entity_path, { key, ...branch })}>
          <EntryName path={entity_path} name={key} />
        </a>
        <span className={styles.kinds}>
          <Tag tone={TONES[diff_type]}>{texts.kinds[diff_type]}</Tag>
          {side?.shared === false && <Tag tone="warn">{texts.private}</Tag>}
        </span>
        <Authors from={from} to={to} />
        {side && <Delta before={isChange ? from.confidence : null} after={side.confidence} />}
      </header>
      {isOpen && (
        <>
          <Fields entry={entry} />
          {below}
        </>
      )}
    </article>
  );
}

/** Who wrote what was there, and what is there now. */
function Authors({ from, to }: Pick<ChangedEntry, 'from' | 'to'>) {
  const sides = [from, to].filter((side): side is ChangedSide => side !== null);
  const last = sides.at(-1);
  return (
    <span className={classes(styles.authors, 'third small')}>
      {sides.map((side, i) => (
        <span key={i === 0 && from ? 'from' : 'to'} title={fullTimeOf(side.written_at)}>
          {i > 0 && '→ '}
          <a href={hrefOf('agents', side.agent_id)}>{side.agent_id}</a> {texts.version(side.version)}{' '}
        </span>
      ))}
      {last && <time dateTime={last.written_at}>{dayAndTime(last.written_at)}</time>}
    </span>
  );
}

/** An added or deleted entry has its whole value as one field. */
function fieldsOf({ changes, diff_type, from, to }: ChangedEntry): ChangedField[] {
  if (changes.length > 0) return changes;
  if (diff_type === 'added') return [{ path: '/value', operation: 'add', new_value: to?.value }];
  if (diff_type === 'deleted') return [{ path: '/value', operation: 'remove', old_value: from?.value }];
  return [];
}

function Fields({ entry }: { entry: ChangedEntry }) {
  const fields = fieldsOf(entry);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a phone shows it as lines.
    <div className={styles.fields} role="table" aria-label={texts.show(`${entry.entity_path}/${entry.key}`)}>
      {/* biome-ignore lint/a11y/useSemanticElements: see above. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it is a heading. */}
      <div className={styles.fieldHead} role="row">
        {[texts.field, texts.before, texts.after].map((head) => (
          // biome-ignore lint/a11y/useSemanticElements: see above.
          // biome-ignore lint/a11y/useFocusableInteractive: it is a heading.
          <span key={head} role="columnheader">
            {head}
          </span>
        ))}
      </div>
      {fields.map((field) => (
        <FieldRow key={field.path} field={field} />
      ))}
    </div>
  );
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > LONG_TEXT;

function FieldRow({ field: { path, operation, old_value, new_value } }: { field: ChangedField }) {
  const isText = operation === 'replace' && isLong(old_value) && isLong(new_value);
  const cell = (kind: 'old' | 'new', value: unknown, isThere: boolean) => (
    // biome-ignore lint/a11y/useSemanticElements: a phone shows it as lines.
    <div className={classes(styles.cell, isThere && (kind === 'old' ? styles.old : styles.new))} role="cell">
      {isThere ? (
        <>
          <span className={styles.sign} aria-hidden="true">
            {kind === 'old' ? '−' : '+'}
          </span>
          <LongValue text={shortly(value)} />
        </>
      ) : (
        <span className="third small">{texts.nothing}</span>
      )}
    </div>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: nothing is chosen here.
    <div className={styles.field} role="row">
      {/* biome-ignore lint/a11y/useSemanticElements: see above. */}
      <div className={classes(styles.path, 'mono')} role="cell">
        {path.slice(1)}
      </div>
      {isText ? (
        // biome-ignore lint/a11y/useSemanticElements: see above.
        <div className={styles.text} role="cell">
          <Diff label={path} before={old_value} after={new_value} />
        </div>
      ) : (
        <>
          {cell('old', old_value, operation !== 'add')}
          {cell('new', new_value, operation !== 'remove')}
        </>
      )}
    </div>
  );
}

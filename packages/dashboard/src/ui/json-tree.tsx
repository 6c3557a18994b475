import { useState } from 'react';
import { rawNumber } from '../data/exact-json.ts';
import { ui } from '../texts/ui.ts';
import styles from './code.module.css';
import { Icon } from './icons.tsx';

/** Below this many levels and above this many members it starts folded. */
const OPEN_LEVELS = 3;
const OPEN_MEMBERS = 100;
const MAX_MEMBERS = 500;

/** A JSON value that can be folded. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <section className={styles.json} aria-label={label}>
      <div className={styles.jsonTop}>
        <Value value={value} level={0} />
      </div>
    </section>
  );
}

function Value({ value, level, name }: { value: unknown; level: number; name?: string }) {
  const title = name === undefined ? null : <span className={styles.name}>{JSON.stringify(name)}: </span>;
  const raw = rawNumber(value);
  if (typeof value !== 'object' || value === null || raw !== undefined) {
    return (
      <>
        {title}
        <span className={typeof value === 'string' ? styles.string : styles.number}>
          {raw ?? JSON.stringify(value)}
        </span>
      </>
    );
  }
  const short = shortList(value);
  if (short === undefined) return <Branch value={value} level={level} title={title} />;
  return (
    <>
      {title}[
      {short.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name.
        <span key={i}>
          {i > 0 && ', '}
          <Value value={item} level={level + 1} />
        </span>
      ))}
      ]
    </>
  );
}

/** A few plain values stand in one line. */
const SHORT_CHARS = 60;
function shortList(value: object): readonly unknown[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > SHORT_CHARS / 2) return undefined;
  const isPlain = value.every((item) => typeof item !== 'object' || item === null);
  return isPlain && JSON.stringify(value).length <= SHORT_CHARS ? value : undefined;
}

function Branch({ value, level, title }: { value: object; level: number; title: React.ReactNode }) {
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS && members.length <= OPEN_MEMBERS);
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0)
    return (
      <>
        {title}
        {`${open}${close}`}
      </>
    );
  const size = isList ? ui.json.items(members.length) : ui.json.members(members.length);
  return (
    <>
      <button type="button" className={styles.jsonFold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        {title}
        {isOpen ? open : `${open} ${size} ${close}`}
      </button>
      {isOpen && (
        <>
          <ul>
            {members.slice(0, MAX_MEMBERS).map(([name, member]) => (
              <li key={name}>
                <Value value={member} level={level + 1} {...(isList ? {} : { name })} />
              </li>
            ))}
            {members.length > MAX_MEMBERS && (
              <li className="third">{ui.truncated(String(MAX_MEMBERS), String(members.length))}</li>
            )}
          </ul>
          {close}
        </>
      )}
    </>
  );
}

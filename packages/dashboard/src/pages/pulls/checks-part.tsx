import { hrefOf } from '../../router/address.ts';
import { dayAndTime, fullTimeOf, shortId } from '../../texts/format.ts';
import { pulls } from '../../texts/pulls.ts';
import { EntryName, Tag } from '../../ui/marks.tsx';
import type { PullCheck } from './pull-data.ts';
import styles from './pulls.module.css';

const texts = pulls.checks;

type SignKind = PullCheck['status'] | 'comment';
const TONES: Record<SignKind, string> = {
  comment: 'third',
  passed: 'good',
  failed: 'bad',
  pending: 'warn',
  neutral: 'third',
};
const SHAPES: Record<SignKind, string> = {
  comment: 'M1.500 2.500h9v6H6l-2.500 2v-2h-2z',
  passed: 'M3 6.300l2.200 2.200 4-4.700',
  failed: 'M3.300 3.300l5.400 5.400M8.700 3.300l-5.400 5.400',
  pending: 'M6 3v3l2 1.500',
  neutral: 'M3 6h6',
};

/** How a check stands, by shape and colour; the word is beside it. */
export function CheckSign({ status }: { status: SignKind }) {
  return (
    <svg
      className={TONES[status]}
      aria-hidden="true"
      viewBox="0 0 12 12"
      width="12"
      height="12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
    >
      <path d={SHAPES[status]} />
    </svg>
  );
}

/** What each check says, with its findings and the questions that memory CI asked again. */
export function ChecksPart({ checks }: { checks: readonly PullCheck[] }) {
  if (checks.length === 0) return <p className={`${styles.lead} third`}>{texts.none}</p>;
  return (
    <ul>
      {checks.map((check) => (
        <Check key={check.name} check={check} />
      ))}
    </ul>
  );
}

function Check({ check }: { check: PullCheck }) {
  const { name, status, summary, is_required, is_current, posted_by, updated_at, findings, questions, hidden } = check;
  return (
    <li className={styles.check}>
      <div className={styles.checkHead}>
        <CheckSign status={status} />
        <h2 className="mono strong">{name}</h2>
        <span className={TONES[status]}>{texts.statuses[status]}</span>
        {is_required && <Tag>{texts.required}</Tag>}
        {!is_current && (
          <span title={texts.oldHint}>
            <Tag tone="warn">{texts.old}</Tag>
          </span>
        )}
        <span className="grow" />
        <span className="third small">
          {posted_by !== null && `${texts.postedBy(posted_by)} `}
          <time dateTime={updated_at} title={fullTimeOf(updated_at)}>
            {dayAndTime(updated_at)}
          </time>
        </span>
      </div>
      {summary !== '' && <p className={styles.summary}>{summary}</p>}
      {findings.length > 0 && (
        <ul className={styles.findings} aria-label={texts.findings}>
          {findings.map(({ entity_path, key, message }) => (
            <li key={`${entity_path}/${key} ${message}`}>
              <a href={hrefOf('memory', entity_path, { key })}>
                <EntryName path={entity_path} name={key} />
              </a>
              <span className="second">{message}</span>
            </li>
          ))}
        </ul>
      )}
      {questions?.map((question) => (
        <Question key={`${question.question} ${question.asked_path}`} asked={question} />
      ))}
      {hidden > 0 && <p className={`${styles.summary} third small`}>{texts.more(hidden)}</p>}
    </li>
  );
}

type AskedAgain = NonNullable<PullCheck['questions']>[number];
type NamedEntry = AskedAgain['lost'][number];

/** A question that would be answered from other entries: which ones come and go, and what comes first. */
function Question({ asked }: { asked: AskedAgain }) {
  const { question, asked_path, first, entered, left, lost, trace_ids } = asked;
  const lines = [
    ...lost.map((entry) => ({ kind: 'lost' as const, entry })),
    ...left
      .filter((entry) => !lost.some((other) => isSame(other, entry)))
      .map((entry) => ({ kind: 'left' as const, entry })),
    ...entered.map((entry) => ({ kind: 'entered' as const, entry })),
  ];
  return (
    <div className={styles.question}>
      <p>
        {texts.question(question)} {asked_path !== null && <span className="third mono">{texts.at(asked_path)}</span>}
      </p>
      <ul className={styles.findings}>
        {first !== null && (
          <li>
            <span className="third small">{texts.first}</span>
            <span className={styles.first}>
              <Named entry={first.before} /> <span className="third">→</span> <Named entry={first.after} />
            </span>
          </li>
        )}
        {lines.map(({ kind, entry }) => (
          <li key={`${kind} ${entry.entity_path}/${entry.key}`}>
            <span className={`small ${kind === 'lost' ? 'bad' : kind === 'entered' ? 'good' : 'third'}`}>
              {texts[kind]}
            </span>
            <Named entry={entry} />
          </li>
        ))}
      </ul>
      {trace_ids.length > 0 && (
        <p className="third small">
          {texts.decisions}{' '}
          {trace_ids.slice(0, 5).map((id) => (
            <span key={id}>
              <a className="mono" href={hrefOf('traces', id)}>
                {shortId(id)}
              </a>{' '}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

const isSame = (a: NamedEntry, b: NamedEntry) => a.entity_path === b.entity_path && a.key === b.key;

function Named({ entry }: { entry: NamedEntry | null }) {
  if (entry === null) return <span className="third">{texts.nothing}</span>;
  return (
    <a href={hrefOf('memory', entry.entity_path, { key: entry.key })}>
      <EntryName path={entry.entity_path} name={entry.key} />
    </a>
  );
}

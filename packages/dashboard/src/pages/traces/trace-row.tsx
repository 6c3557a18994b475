import { hrefOf } from '../../router/address.ts';
import { ago, duration, fullTimeOf, money, number, shortNumber } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { classes } from '../../ui/classes.ts';
import { Tag } from '../../ui/marks.tsx';
import { Cell } from '../../ui/row-list.tsx';
import { outcomeTone } from './tones.ts';
import type { ListedTrace } from './trace-rows.ts';
import styles from './traces.module.css';

const texts = traces.list;
const LONGEST = 200;

/** What a trace is called: its task, else its decision. */
export const titleOf = ({
  task_input,
  decision_summary,
}: Pick<ListedTrace, 'task_input' | 'decision_summary'>): string => {
  const text = (task_input ?? '').trim() || (decision_summary ?? '').trim();
  return text.split('\n')[0]?.slice(0, LONGEST) || texts.untitled;
};

export function TraceRowHead() {
  const { columns } = texts;
  return (
    <div className={classes(styles.row, styles.head)} aria-hidden="true">
      <span />
      <span>{columns.task}</span>
      <span>{columns.outcome}</span>
      <span>{columns.agent}</span>
      <span className={styles.end}>{columns.took}</span>
      <span className={styles.end}>{columns.read}</span>
      <span className={styles.end}>{columns.tokens}</span>
      <span className={styles.end}>{columns.cost}</span>
      <span className={styles.end}>{columns.ended}</span>
    </div>
  );
}

type TraceRowProps = { trace: ListedTrace; now: number; isPhone: boolean; isMarked: boolean; onMark: () => void };

export function TraceRow({ trace, now, isPhone, isMarked, onMark }: TraceRowProps) {
  return isPhone ? <PhoneRow trace={trace} now={now} /> : <WideRow {...{ trace, now, isMarked, onMark }} />;
}

function WideRow({ trace, now, isMarked, onMark }: Omit<TraceRowProps, 'isPhone'>) {
  const { session_duration_ms, causal_entries, total_tokens, known_cost_usd, session_ended_at, agent_id } = trace;
  return (
    <div className={styles.row} role="presentation">
      <Cell>
        <input
          type="checkbox"
          className={styles.mark}
          tabIndex={-1}
          aria-label={texts.mark(titleOf(trace))}
          checked={isMarked}
          onClick={(event) => event.stopPropagation()}
          onChange={onMark}
        />
      </Cell>
      <Cell className="line">
        <a className="cut" href={hrefOf('traces', trace.trace_id)} tabIndex={-1} title={titleOf(trace)}>
          {titleOf(trace)}
        </a>
        <span className="mono third cut">{trace.outcome_ref}</span>
        <Marks trace={trace} />
      </Cell>
      <Cell>{trace.outcome_type && <Tag tone={outcomeTone(trace.outcome_type)}>{trace.outcome_type}</Tag>}</Cell>
      <Cell className="cut second" title={agent_id}>
        {agent_id}
      </Cell>
      <Cell className={styles.end}>{session_duration_ms !== null && duration(session_duration_ms)}</Cell>
      <Cell className={styles.end}>{number(causal_entries.length)}</Cell>
      <Cell className={styles.end}>{total_tokens > 0 && shortNumber(total_tokens)}</Cell>
      <Cell className={classes(styles.end, 'second')}>{known_cost_usd !== null && money(known_cost_usd)}</Cell>
      <Cell className={classes(styles.end, 'third')} title={fullTimeOf(session_ended_at)}>
        <time dateTime={session_ended_at}>{ago(session_ended_at, now)}</time>
      </Cell>
    </div>
  );
}

function Marks({ trace: { error_events, attempts } }: { trace: ListedTrace }) {
  return (
    <>
      {attempts.length > 0 && <span className="third small">{texts.attempts(attempts.length + 1)}</span>}{' '}
      {error_events.length > 0 && <span className="bad small">{texts.errors(error_events.length)}</span>}
    </>
  );
}

function PhoneRow({ trace, now }: { trace: ListedTrace; now: number }) {
  return (
    <Cell className={styles.phoneRow}>
      <a className="cut strong" href={hrefOf('traces', trace.trace_id)} tabIndex={-1}>
        {titleOf(trace)}
      </a>
      <span className="third small">{ago(trace.session_ended_at, now)}</span>
      <span className="cut second small">
        {trace.agent_id} <Marks trace={trace} />
      </span>
      {trace.outcome_type ? <Tag tone={outcomeTone(trace.outcome_type)}>{trace.outcome_type}</Tag> : <span />}
    </Cell>
  );
}

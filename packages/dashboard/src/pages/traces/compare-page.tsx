import { useEffect, useMemo, useRef } from 'react';
import { isFailure } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, duration, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Cell, RowList, type RowListHandle } from '../../ui/row-list.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useIsPhone } from '../../ui/use-media.ts';
import styles from './compare.module.css';
import { isDifferent, MOST_COMPARED, type SideBySide, type StepPair, sideBySide } from './side-by-side.ts';
import type { TraceStep, WholeTrace } from './steps.ts';
import { STEP_COLOURS } from './tones.ts';
import { costOf, OutcomeTag } from './trace-facts.tsx';
import { titleOf } from './trace-row.tsx';
import type { ListedTrace } from './trace-rows.ts';

const texts = traces.compare;
const parameters = { a: textParameter(), b: textParameter() };

const readOf = (trace_id: string) => ({ name: 'traces.read' as const, input: { trace_id } });

/** Two traces side by side. */
export function ComparePage() {
  useCrumbs([{ label: traces.title, href: hrefOf('traces') }, { label: texts.title }]);
  const [{ a, b }, set] = useSearch(parameters);
  const left = useOperation('traces.read', { trace_id: a }, { enabled: a !== '', keepPrevious: false });
  const right = useOperation('traces.read', { trace_id: b }, { enabled: b !== '', keepPrevious: false });
  return (
    <>
      <div className={styles.title}>
        <h1 className="grow">{texts.title}</h1>
        {a !== '' && b !== '' && <Button onClick={() => set({ a: b, b: a })}>{texts.swap}</Button>}
        {a !== '' && <CopyAs call={readOf(a)} more={b === '' ? [] : [readOf(b)]} />}
      </div>
      {a === '' && <Picker title={texts.pickFirst} onPick={(id) => set({ a: id })} />}
      {a !== '' && (
        <Loaded answer={left} rows={8} call={{ name: 'traces.read', input: { trace_id: a } }}>
          {(one) =>
            b === '' ? (
              <Picker title={texts.pick} of={one} onPick={(id) => set({ b: id })} />
            ) : (
              <Loaded answer={right} rows={8} call={{ name: 'traces.read', input: { trace_id: b } }}>
                {(other) => <Compared left={one} right={other} onOther={() => set({ b: '' })} />}
              </Loaded>
            )
          }
        </Loaded>
      )}
    </>
  );
}

const pickColumns: readonly Column<ListedTrace>[] = [
  { id: 'task', head: traces.list.columns.task, phone: 'name', cell: (trace) => titleOf(trace) },
  {
    id: 'ref',
    head: traces.list.filters.ref,
    width: 160,
    phone: 'detail',
    cell: ({ outcome_ref }) => <span className="mono third">{outcome_ref}</span>,
  },
  {
    id: 'outcome',
    head: traces.list.columns.outcome,
    width: 128,
    phone: 'value',
    cell: ({ outcome_type }) => <OutcomeTag type={outcome_type} />,
  },
  {
    id: 'ended',
    head: traces.list.columns.ended,
    width: 80,
    end: true,
    phone: 'time',
    cell: (trace) => <Ago trace={trace} />,
  },
];

const Ago = ({ trace }: { trace: ListedTrace }) => (
  <span className="third">{ago(trace.session_ended_at, useNow())}</span>
);

type PickerProps = { title: string; of?: WholeTrace; onPick: (id: string) => void };

function Picker({ title, of, onPick }: PickerProps) {
  const input = of ? { agent_id: of.agent_id, branch: of.branch, limit: 50 } : { limit: 50 };
  const answer = useOperation('traces.list', input);
  return (
    <Section title={title} note={of && texts.pickHint} bleed>
      <Loaded answer={answer} rows={8} call={{ name: 'traces.list', input }}>
        {(page) => (
          <Table
            label={title}
            columns={pickColumns}
            rows={page.traces.filter(({ trace_id }) => trace_id !== of?.trace_id)}
            keyOf={({ trace_id }) => trace_id}
            onOpen={({ trace_id }) => onPick(trace_id)}
          />
        )}
      </Loaded>
    </Section>
  );
}

type ComparedProps = { left: WholeTrace; right: WholeTrace; onOther: () => void };

function Compared({ left, right, onOther }: ComparedProps) {
  const result = useMemo(() => sideBySide(left, right), [left, right]);
  return (
    <>
      <div className={styles.heads}>
        <TraceHead trace={left} />
        <TraceHead trace={right} onOther={onOther} />
      </div>
      <Steps result={result} />
    </>
  );
}

function TraceHead({ trace, onOther }: { trace: WholeTrace; onOther?: () => void }) {
  const { facts } = traces.one;
  const shown = [
    [facts.took, trace.session_duration_ms === null ? traces.one.unknown : duration(trace.session_duration_ms)],
    [facts.calls, number(trace.total_llm_calls)],
    [facts.tokens, number(trace.total_tokens)],
    [facts.cost, costOf(trace)],
    [facts.read, number(trace.causal_entries.length)],
  ] as const;
  return (
    <div className={styles.half}>
      <div className="line">
        <h2 className="cut strong">
          <a href={hrefOf('traces', trace.trace_id)}>{titleOf(trace)}</a>
        </h2>
        <OutcomeTag type={trace.outcome_type} />
        <span className="grow" />
        {onOther && (
          <Button kind="quiet" onClick={onOther}>
            {texts.other}
          </Button>
        )}
      </div>
      <div className="third small cut">
        <span className="mono">{trace.outcome_ref}</span> {trace.agent_id}
      </div>
      <dl className={styles.facts}>
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const ROW_PX = 44;
const PHONE_ROW_PX = 60;
const MOST_ROWS = 100;
const LONG_PX = 640;

function Steps({ result: { pairs, first, same, isCut } }: { result: SideBySide }) {
  const list = useRef<RowListHandle>(null);
  const isPhone = useIsPhone();
  const rowPx = isPhone ? PHONE_ROW_PX : ROW_PX;
  const show = () => {
    if (first === undefined) return;
    list.current?.reveal(first);
    list.current?.focus();
  };
  useEffect(() => {
    if (first !== undefined) list.current?.reveal(first);
  }, [first]);
  const actions = first !== undefined && <Button onClick={show}>{texts.toFirst}</Button>;
  return (
    <Section title={texts.rows} note={texts.steps(same, pairs.length)} actions={actions} bleed>
      {first === undefined && (
        <p className={styles.note}>
          <span className="good">{texts.same}.</span> <span className="third">{texts.sameNote}</span>
        </p>
      )}
      {isCut && <p className={classes(styles.note, 'warn')}>{texts.tooMany(number(MOST_COMPARED))}</p>}
      <div style={{ height: pairs.length > MOST_ROWS ? LONG_PX : pairs.length * rowPx }}>
        <RowList
          label={texts.rows}
          count={pairs.length}
          rowPx={rowPx}
          handle={list}
          row={(index) => {
            const pair = pairs[index];
            return pair && <PairRow pair={pair} isFirst={index === first} />;
          }}
        />
      </div>
    </Section>
  );
}

function PairRow({ pair, isFirst }: { pair: StepPair; isFirst: boolean }) {
  const { left, right, differs } = pair;
  const word = differs.length > 0 ? texts.differs(differs) : right ? (left ? '' : texts.onlyRight) : texts.onlyLeft;
  return (
    <div
      className={classes(styles.pair, isDifferent(pair) && styles.different, isFirst && styles.first)}
      role="presentation"
    >
      <StepSide step={left} isGrey={!isDifferent(pair)} />
      <Cell className={styles.middle}>
        {isFirst && <span className="bad strong">{texts.first}</span>}
        {word !== '' && <span className="warn">{word}</span>}
      </Cell>
      <StepSide step={right} isGrey={!isDifferent(pair)} />
    </div>
  );
}

function StepSide({ step, isGrey }: { step: TraceStep | undefined; isGrey: boolean }) {
  if (!step) return <Cell className={styles.side} />;
  const { of, name, note, result, ms } = step;
  // The note of an outcome is its type.
  const isBad = step.isFailed || (of.kind === 'outcome' && isFailure(note));
  return (
    <Cell className={styles.side}>
      <span className={styles.dot} style={{ background: `var(${isBad ? '--s-error' : STEP_COLOURS[of.kind]})` }} />
      <span
        className={classes('cut', isGrey && 'second', (of.kind === 'read' || of.kind === 'query') && 'mono')}
        title={name}
      >
        {name} <span className="third">{note}</span>
      </span>
      <span className="grow" />
      <span className="third small">{[result, ms === undefined ? '' : duration(ms)].filter(Boolean).join(', ')}</span>
    </Cell>
  );
}

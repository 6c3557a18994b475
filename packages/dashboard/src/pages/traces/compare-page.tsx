import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, duration, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './compare.module.css';
import { ComparedSteps, MOST_COMPARED } from './compared-steps.tsx';
import type { WholeTrace } from './steps.ts';
import { costOf, OutcomeTag } from './trace-facts.tsx';
import { titleOf } from './trace-row.tsx';
import type { ListedTrace } from './trace-rows.ts';

const texts = traces.compare;
const parameters = { a: textParameter(), b: textParameter() };

const readOf = (trace_id: string) => ({ name: 'traces.read' as const, input: { trace_id } });
const compareOf = (...trace_ids: string[]) => ({
  name: 'traces.compare' as const,
  input: { trace_ids, limit: MOST_COMPARED },
});

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
        {a !== '' && <CopyAs call={b === '' ? readOf(a) : compareOf(a, b)} />}
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
  const call = compareOf(left.trace_id, right.trace_id);
  const answer = useOperation(call.name, call.input, { keepPrevious: false });
  return (
    <>
      <div className={styles.heads}>
        <TraceHead trace={left} />
        <TraceHead trace={right} onOther={onOther} />
      </div>
      <Loaded answer={answer} rows={8} call={call}>
        {(compared) => <ComparedSteps compared={compared} />}
      </Loaded>
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

import { useState } from 'react';
import type { Output, Request } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { ago } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { StillWorking } from '../../ui/still-working.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { titleOf } from '../traces/trace-row.tsx';
import type { ListedTrace } from '../traces/trace-rows.ts';
import styles from './evaluation.module.css';
import { ResultTag, reasonColumn, scoreColumn, TraceLink } from './evaluation-marks.tsx';

const texts = evaluation.dryRun;
const NEWEST = { limit: 10 };
/** The most that the service tries at once. */
const MOST_TRACES = 50;

type DryRunResult = Output<'judges.dry_run'>['results'][number];
type DryRunProps = {
  of: Omit<Request<'judges.dry_run'>, 'trace_ids'> /** Within a form, which has headings of its own. */;
  isInForm?: boolean;
};

/** What a judge, or a definition that is being written, would find in chosen traces. */
export function DryRun({ of, isInForm = false }: DryRunProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const [typed, setTyped] = useState('');
  const newest = useOperation('traces.list', NEWEST);
  const listed = newest.data?.traces ?? [];
  // Until somebody chooses, the newest few.
  const marked = chosen ?? new Set(listed.slice(0, 5).map(({ trace_id }) => trace_id));
  const named = typed.split(/[\s,]+/).filter((id) => id !== '');
  const input = { ...of, trace_ids: [...new Set([...marked, ...named])].slice(0, MOST_TRACES) };
  const run = useAction('judges.dry_run');
  const toggle = (id: string) => {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const isNothing = input.trace_ids.length === 0;
  const actions = (
    <>
      {!isInForm && <CopyAs call={{ name: 'judges.dry_run', input }} />}
      <Button busy={run.isPending} disabled={isNothing} onClick={() => run.mutate(input)}>
        {texts.run}
      </Button>
    </>
  );
  return (
    <Section
      title={texts.title}
      note={texts.note}
      actions={actions}
      {...(isInForm ? { className: styles.inForm } : {})}
    >
      <Loaded answer={newest} call={{ name: 'traces.list', input: NEWEST }}>
        {() =>
          listed.length === 0 ? (
            <p className="third">{texts.noTraces}</p>
          ) : (
            <TraceChoices traces={listed} marked={marked} onToggle={toggle} />
          )
        }
      </Loaded>
      <Field label={texts.ids} hint={texts.idsHint}>
        {(field) => (
          <input
            {...field}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      <StillWorking isBusy={run.isPending} what={texts.running(input.trace_ids.length)} />
      {run.error ? <ErrorState error={run.error} isAction /> : null}
      {run.data && <Results results={run.data.results} traces={listed} />}
    </Section>
  );
}

type TraceChoicesProps = {
  traces: readonly ListedTrace[];
  marked: ReadonlySet<string>;
  onToggle: (id: string) => void;
};

function TraceChoices({ traces, marked, onToggle }: TraceChoicesProps) {
  const now = useNow();
  return (
    <fieldset className={styles.choices} aria-label={texts.choose}>
      {traces.map((trace) => (
        <label key={trace.trace_id} className={styles.choice}>
          <input type="checkbox" checked={marked.has(trace.trace_id)} onChange={() => onToggle(trace.trace_id)} />
          <span className="cut">{titleOf(trace)}</span>
          <span className="third small cut">{trace.agent_id}</span>
          <time className="third small" dateTime={trace.created_at}>
            {ago(trace.created_at, now)}
          </time>
        </label>
      ))}
    </fieldset>
  );
}

function Results({ results, traces }: { results: readonly DryRunResult[]; traces: readonly ListedTrace[] }) {
  const counts: Record<string, number> = {};
  for (const { result } of results) counts[evaluation.results[result]] = (counts[evaluation.results[result]] ?? 0) + 1;
  return (
    <section className={styles.results} aria-label={texts.results}>
      <p className="second" role="status">
        {texts.counts(counts)}
      </p>
      <Table label={texts.results} columns={columnsOf(traces)} rows={results} keyOf={({ trace_id }) => trace_id} />
    </section>
  );
}

const columnsOf = (traces: readonly ListedTrace[]): readonly Column<DryRunResult>[] => [
  {
    id: 'trace',
    head: texts.columns.trace,
    phone: 'name',
    cell: ({ trace_id }) => {
      const trace = traces.find((one) => one.trace_id === trace_id);
      if (!trace) return <TraceLink id={trace_id} />;
      return (
        <a href={hrefOf('traces', trace_id)} title={trace_id}>
          {titleOf(trace)}
        </a>
      );
    },
  },
  reasonColumn,
  scoreColumn,
  {
    id: 'result',
    head: texts.columns.result,
    width: 84,
    phone: 'value',
    cell: ({ result }) => <ResultTag result={result} />,
  },
];

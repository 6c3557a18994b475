import type { Output } from '../../data/client.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { cases as texts } from '../../texts/failures.ts';
import { shortId } from '../../texts/format.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag, type Tone } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ageColumn } from '../branches/columns.tsx';
import styles from './evaluation.module.css';

type ListedRun = Output<'case_runs.list'>['runs'][number];
type CaseResult = Output<'case_runs.read'>['results'][number];

const input = { limit: 20 };
const call = { name: 'case_runs.list', input } as const;
const parameters = { run: textParameter() };

const nameOf = ({ label, set_id, case_run_id }: Pick<ListedRun, 'label' | 'set_id' | 'case_run_id'>): string =>
  label === '' ? texts.unlabelled(set_id, shortId(case_run_id)) : label;

/** Runs of sets, newest first; a row shows what came of each case. */
export function CaseRuns() {
  const now = useNow();
  const [{ run }, set] = useSearch(parameters);
  const pages = usePages('case_runs.list', input);
  const runs = pages.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <>
      <Section title={texts.runs} note={texts.runsNote} bleed actions={<CopyAs call={call} />}>
        <Loaded answer={pages} call={call} rows={3}>
          {() =>
            runs.length === 0 ? (
              <p className={`${styles.none} third`}>{texts.noRuns}</p>
            ) : (
              <Table
                label={texts.runs}
                columns={columnsAt(now)}
                rows={runs}
                keyOf={({ case_run_id }) => case_run_id}
                selected={run}
                onOpen={({ case_run_id }) => set({ run: case_run_id })}
              />
            )
          }
        </Loaded>
        <ShowMore pages={pages} />
      </Section>
      {run !== '' && <RunResults key={run} runId={run} />}
    </>
  );
}

function RunResults({ runId }: { runId: string }) {
  const asked = { case_run_id: runId };
  const answer = useOperation('case_runs.read', asked);
  const title = texts.resultsOf(answer.data ? nameOf(answer.data) : runId);
  const readCall = { name: 'case_runs.read', input: asked } as const;
  return (
    <Section title={title} bleed actions={<CopyAs call={readCall} />}>
      <Loaded answer={answer} call={readCall} rows={3}>
        {({ results }) => (
          <Table label={title} columns={resultColumns} rows={results} keyOf={({ case_id }) => case_id} />
        )}
      </Loaded>
    </Section>
  );
}

const columnsAt = (now: number): readonly Column<ListedRun>[] => [
  {
    ...{ id: 'run', head: texts.runColumns.run, phone: 'name' },
    cell: (run) => (
      <span className="strong" title={run.case_run_id}>
        {nameOf(run)}
      </span>
    ),
  },
  {
    ...{ id: 'result', head: texts.runColumns.result, width: 92, phone: 'value' },
    cell: ({ status }) => <Tag tone={status === 'passed' ? 'good' : 'bad'}>{texts.statuses[status]}</Tag>,
  },
  {
    ...{ id: 'passed', head: texts.runColumns.passed, width: 104, phone: 'detail' },
    cell: ({ passed, cases }) => <span className="second">{texts.passed(passed, cases)}</span>,
  },
  {
    ...{ id: 'changed', head: texts.runColumns.changed, width: 160, phone: 'hide' },
    cell: ({ fixed, broken }) => <span className={broken > 0 ? 'bad' : 'second'}>{texts.changes(fixed, broken)}</span>,
  },
  ageColumn(texts.runColumns.when, now),
];

const TONES: Record<CaseResult['result'], Tone> = {
  ...{ pass: 'good', fail: 'bad', error: 'warn', skipped: 'mute', missing: 'warn' },
};

const resultColumns: readonly Column<CaseResult>[] = [
  {
    ...{ id: 'case', head: texts.resultColumns.name, width: 200, phone: 'name' },
    cell: ({ case_id }) => <a href={hrefOf('cases', case_id)}>{case_id}</a>,
  },
  {
    ...{ id: 'result', head: texts.resultColumns.result, width: 92, phone: 'value' },
    cell: ({ result }) => <Tag tone={TONES[result]}>{texts.results[result]}</Tag>,
  },
  {
    ...{ id: 'reason', head: texts.resultColumns.reason, phone: 'detail' },
    cell: ({ reason }) => <span className="second">{reason ?? '–'}</span>,
  },
  {
    ...{ id: 'change', head: texts.resultColumns.change, width: 180, phone: 'hide' },
    cell: ({ change }) => (
      <span className={change === 'broken' ? 'bad' : change === 'fixed' ? 'good' : 'third'}>
        {texts.changeOf[change]}
      </span>
    ),
  },
  {
    ...{ id: 'trace', head: texts.resultColumns.trace, width: 80, phone: 'hide' },
    cell: ({ trace_id }) =>
      trace_id === null ? '–' : <a href={hrefOf('traces', trace_id)}>{texts.resultColumns.trace}</a>,
  },
];

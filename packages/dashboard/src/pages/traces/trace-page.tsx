import { useMemo, useState } from 'react';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, textParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { traces } from '../../texts/traces.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/use-media.ts';
import { TraceVerdicts } from '../evaluation/trace-verdicts.tsx';
import { MemoryTable } from './memory-table.tsx';
import { StepInspector } from './step-inspector.tsx';
import { type TraceSteps, type WholeTrace, withBelow } from './steps.ts';
import { TraceFacts } from './trace-facts.tsx';
import { titleOf } from './trace-row.tsx';
import styles from './traces.module.css';
import { type TraceData, useTrace } from './use-trace.ts';
import { Waterfall } from './waterfall.tsx';

const texts = traces.one;
const VIEWS = ['waterfall', 'tree'] as const;
const parameters = { view: choiceParameter<(typeof VIEWS)[number]>('waterfall', VIEWS), step: textParameter() };

/** One trace: what was read, done and said, and what the outcome did to memory. */
export function TracePage({ traceId }: { traceId: string }) {
  const data = useTrace(traceId);
  const { answer, steps, seal, outcome, staleReads } = data;
  const trace = answer.data;
  const crumb = trace ? (trace.outcome_ref ?? titleOf(trace)) : traceId;
  useCrumbs([{ label: traces.title, href: hrefOf('traces') }, { label: crumb }]);
  if (!trace || !steps)
    return (
      <div className={styles.message}>
        {answer.error ? (
          <ErrorState
            error={answer.error}
            onRetry={() => void answer.refetch()}
            call={{ name: 'traces.read', input: { trace_id: traceId } }}
          />
        ) : (
          <Skeleton rows={12} />
        )}
      </div>
    );
  return <Shown data={{ trace, outcome, staleReads }} steps={steps} seal={seal} />;
}

type ShownProps = { data: TraceData; steps: TraceSteps; seal: ReturnType<typeof useTrace>['seal'] };

function Shown({ data, steps, seal }: ShownProps) {
  const { trace } = data;
  const [{ view, step }, set] = useSearch(parameters);
  const isPhone = useIsPhone();
  const all = useMemo(() => withBelow(steps.root), [steps]);
  // A model call stands for its span, which has the same id.
  const selected = all.find(({ id }) => id === step || id === step.replace(/^span-/, 'call-'));
  const select = (id: string) => set({ step: id });
  useStepKeys(
    all.map(({ id }) => id),
    step,
    select,
  );
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fold = (id: string, isOpen: boolean) => {
    const next = new Set(folded);
    if (isOpen) next.delete(id);
    else next.add(id);
    setFolded(next);
  };
  return (
    <>
      <Title trace={trace} view={view} onView={(next) => set({ view: next })}>
        <TraceFacts data={data} seal={seal} />
      </Title>
      <div className={styles.panes}>
        <Waterfall
          {...{ steps, folded, selected: step, data, isPhone }}
          isTree={view === 'tree'}
          onSelect={select}
          onFold={fold}
        />
        <StepInspector
          key={selected?.id ?? 'session'}
          data={data}
          steps={steps}
          step={selected ?? steps.root}
          seal={seal.data}
          {...(selected ? { onClose: () => set({ step: '' }) } : {})}
        />
      </div>
      <MemoryTable data={data} selected={step} onSelect={select} />
      <TraceVerdicts traceId={trace.trace_id} />
    </>
  );
}

/** [ and ] go from step to step. */
function useStepKeys(ids: readonly string[], current: string, select: (id: string) => void): void {
  const go = (by: number) => {
    const at = ids.indexOf(current);
    const next = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by];
    if (next !== undefined) select(next);
  };
  useCommands([
    { id: 'step-previous', label: texts.previous, keys: '[', group: 'page', run: () => go(-1) },
    { id: 'step-next', label: texts.next, keys: ']', group: 'page', run: () => go(1) },
  ]);
}

type TitleProps = {
  trace: WholeTrace;
  view: (typeof VIEWS)[number];
  onView: (view: (typeof VIEWS)[number]) => void;
  children: React.ReactNode;
};

function Title({ trace, view, onView, children }: TitleProps) {
  return (
    <div className={styles.title}>
      <div className={styles.titleLine}>
        <h1 className="grow">{titleOf(trace)}</h1>
        <Segmented
          label={texts.view}
          value={view}
          choices={VIEWS.map((value) => ({ value, label: texts.views[value] }))}
          onChange={onView}
        />
        <ButtonLink href={hrefOf('traces', 'compare', { a: trace.trace_id })}>{texts.compare}</ButtonLink>
        <CopyAs call={{ name: 'traces.read', input: { trace_id: trace.trace_id } }} />
      </div>
      {children}
      {trace.truncated && <p className="warn small">{texts.truncated}</p>}
      {!trace.causes_complete && (
        <p className="warn small">
          {texts.incomplete}: {trace.causes_incomplete_because}
        </p>
      )}
    </div>
  );
}

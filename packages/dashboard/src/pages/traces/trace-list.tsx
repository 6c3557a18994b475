import { useCallback, useMemo, useRef, useState } from 'react';
import type { Request } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { traces } from '../../texts/traces.ts';
import { ui } from '../../texts/ui.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../../ui/filters.tsx';
import { RowList, type RowListHandle } from '../../ui/row-list.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/use-media.ts';
import { TraceRow, TraceRowHead } from './trace-row.tsx';
import { type TraceFilters, useTraceRows } from './trace-rows.ts';
import styles from './traces.module.css';
import { useFacets } from './use-facets.ts';

const texts = traces.list;
const TIMES = ['', '1h', '24h', '7d', '30d'] as const;
type Time = (typeof TIMES)[number];
const HOURS: Record<Exclude<Time, ''>, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };
const ERRORS = ['', 'with', 'without'] as const;
type Errors = (typeof ERRORS)[number];
const OUTCOMES = [
  ...(['success', 'minor_failure', 'failure', 'critical_failure'] as const),
  ...(['clean_deploy', 'regression', 'p2_incident', 'p1_incident'] as const),
] satisfies NonNullable<Request<'traces.list'>['outcome_type']>[];

const parameters = {
  q: textParameter(),
  agent: textParameter(),
  outcome: choiceParameter<'' | (typeof OUTCOMES)[number]>('', ['', ...OUTCOMES]),
  errors: choiceParameter<Errors>('', ERRORS),
  path: textParameter(),
  time: choiceParameter<Time>('', TIMES),
  branch: textParameter(),
  outcome_ref: textParameter(),
  session: textParameter(),
  marked: textParameter(),
};
const NO_FILTERS = {
  q: '',
  agent: '',
  outcome: '',
  errors: '',
  path: '',
  time: '',
  branch: '',
  outcome_ref: '',
  session: '',
} as const;
const MINUTE_MS = 60_000;

/** Where a stretch of time begins; it moves on every five minutes, so that the list is not asked for all the time. */
function useSince(time: Time): string {
  const now = useNow(MINUTE_MS);
  if (time === '') return '';
  const step = 5 * MINUTE_MS;
  return new Date(Math.floor(now / step) * step - HOURS[time] * 60 * MINUTE_MS).toISOString();
}

function useFilters() {
  const [search, set] = useSearch(parameters);
  const { q, agent, outcome, errors, path, time, branch, outcome_ref, session } = search;
  const since = useSince(time);
  const filters = useMemo<TraceFilters>(
    () => ({
      ...(q === '' ? {} : { query: q }),
      ...(agent === '' ? {} : { agent_id: agent }),
      ...(outcome === '' ? {} : { outcome_type: outcome }),
      ...(errors === '' ? {} : { has_error: errors === 'with' }),
      ...(path === '' ? {} : { entity_path: path }),
      ...(since === '' ? {} : { since }),
      ...(branch === '' ? {} : { branch }),
      ...(outcome_ref === '' ? {} : { outcome_ref }),
      ...(session === '' ? {} : { session_id: session }),
    }),
    [q, agent, outcome, errors, path, since, branch, outcome_ref, session],
  );
  return { search, set, filters };
}

/** All traces, newest first. */
export function TraceList() {
  useCrumbs([{ label: traces.title }]);
  const { search, set, filters } = useFilters();
  const list = useRef<RowListHandle>(null);
  const [isInside, setInside] = useState(false);
  const { rows, waiting, show } = useTraceRows(filters, () => isInside || list.current?.isAtTop() === false);
  const onRange = useCallback((first: number, last: number) => rows.show(first, last), [rows]);
  const isPhone = useIsPhone();
  const now = useNow();
  const marked = search.marked === '' ? [] : search.marked.split(',');
  const mark = (id: string) => {
    const next = marked.includes(id) ? marked.filter((one) => one !== id) : [...marked, id].slice(-2);
    set({ marked: next.join(',') });
  };
  const open = (index: number) => {
    const trace = rows.rowAt(index);
    if (trace) navigate(hrefOf('traces', trace.trace_id));
  };
  const onKey = (key: string, index: number) => {
    const trace = rows.rowAt(index);
    if (key !== 'x' || !trace) return false;
    mark(trace.trace_id);
    return true;
  };
  const hasFilters = Object.keys(filters).length > 0;
  const isEmpty = rows.count === 0 && !rows.hasMore && !rows.isLoading;
  return (
    <div className={styles.page}>
      <div className={styles.title}>
        <div className={styles.titleLine}>
          <h1>{traces.title}</h1>
          <span className="third small grow">{rows.count > 0 && texts.shown(rows.count, rows.hasMore)}</span>
          {waiting > 0 && <Button onClick={() => void show()}>{texts.showNew(waiting)}</Button>}
          <Marked marked={marked} onClear={() => set({ marked: '' })} />
          <CopyAs call={{ name: 'traces.list', input: filters }} />
        </div>
        <Filters search={search} set={set} filters={filters} />
      </div>
      {rows.error !== undefined && (
        <div className={styles.message}>
          <ErrorState error={rows.error} onRetry={() => rows.retry()} call={{ name: 'traces.list', input: filters }} />
        </div>
      )}
      {isEmpty && rows.error === undefined && (
        <Nothing hasFilters={hasFilters} onClear={() => set({ ...NO_FILTERS })} />
      )}
      {rows.count === 0 && rows.isLoading && (
        <div className={styles.message}>
          <Skeleton rows={12} />
        </div>
      )}
      {rows.count > 0 && (
        <>
          {!isPhone && <TraceRowHead />}
          <div className={styles.rows} onPointerEnter={() => setInside(true)} onPointerLeave={() => setInside(false)}>
            <RowList
              key={rows.id}
              label={traces.title}
              count={rows.count}
              rowPx={isPhone ? 56 : 36}
              handle={list}
              onRange={onRange}
              onOpen={open}
              onKey={onKey}
              row={(index) => {
                const trace = rows.rowAt(index);
                return (
                  trace && (
                    <TraceRow
                      trace={trace}
                      now={now}
                      isPhone={isPhone}
                      isMarked={marked.includes(trace.trace_id)}
                      onMark={() => mark(trace.trace_id)}
                    />
                  )
                );
              }}
            />
          </div>
        </>
      )}
    </div>
  );
}

function Marked({ marked, onClear }: { marked: readonly string[]; onClear: () => void }) {
  const [a, b] = marked;
  if (a === undefined) return null;
  return (
    <>
      <span className="third small wide-only">{texts.compareHint(marked.length)}</span>
      <ButtonLink href={hrefOf('traces', 'compare', { a, b })}>{texts.compare}</ButtonLink>
      <Button kind="quiet" icon="close" aria-label={texts.unmark} onClick={onClear} />
    </>
  );
}

type SearchState = ReturnType<typeof useFilters>;

function Filters({ search, set, filters }: SearchState) {
  const countOf = useFacets(filters);
  const agents = useOperation('agents.list', { limit: 1000 });
  const names =
    agents.data?.agents.map(({ agent_id }) => ({
      value: agent_id,
      label: agent_id,
      count: countOf('agent_id', agent_id),
    })) ?? [];
  return (
    <FilterBar>
      <SearchField value={search.q} onChange={(q) => set({ q })} />
      <ChoiceFilter
        name={texts.filters.agent}
        any={texts.any}
        value={search.agent}
        choices={names}
        onChange={(agent) => set({ agent })}
      />
      <ChoiceFilter
        name={texts.filters.outcome}
        any={texts.any}
        value={search.outcome}
        choices={OUTCOMES.map((value) => ({ value, label: value, count: countOf('outcome_type', value) }))}
        onChange={(outcome) => set({ outcome: outcome as (typeof OUTCOMES)[number] | '' })}
      />
      <ChoiceFilter
        name={texts.filters.errors}
        any={texts.any}
        value={search.errors}
        choices={ERRORS.flatMap((value) => (value === '' ? [] : [{ value, label: texts.errorChoices[value] }]))}
        onChange={(errors) => set({ errors: errors as Errors })}
      />
      <TextFilter
        name={texts.filters.path}
        any={texts.any}
        hint={texts.path}
        value={search.path}
        onChange={(path) => set({ path })}
      />
      <ChoiceFilter
        name={texts.filters.since}
        any={texts.allTime}
        value={search.time}
        choices={TIMES.flatMap((value) => (value === '' ? [] : [{ value, label: texts.times[value] }]))}
        onChange={(time) => set({ time: time as Time })}
      />
      {(['branch', 'outcome_ref', 'session'] as const).map(
        (name) =>
          search[name] !== '' && (
            <ChoiceFilter
              key={name}
              name={texts.filters[name === 'outcome_ref' ? 'ref' : name]}
              any={texts.any}
              value={search[name]}
              choices={[]}
              onChange={(value) => set({ [name]: value })}
            />
          ),
      )}
    </FilterBar>
  );
}

const TYPING_MS = 250;

/** Searches once the typing rests. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <input
      key={value === '' ? 'empty' : 'filled'}
      type="search"
      className={styles.search}
      aria-label={texts.search}
      placeholder={texts.search}
      defaultValue={value}
      data-page-search
      onChange={({ target }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(target.value.trim()), TYPING_MS);
      }}
    />
  );
}

const FIRST_OUTCOME = {
  outcome_ref: 'deploy-1',
  outcome_type: 'success',
  task_input: 'Roll out the retry policy',
  response_text: 'Rolled out',
};

function Nothing({ hasFilters, onClear }: { hasFilters: boolean; onClear: () => void }) {
  if (hasFilters)
    return (
      <div className={styles.message}>
        <EmptyState title={texts.nothingMatches} actions={<Button onClick={onClear}>{ui.clearFilters}</Button>} />
      </div>
    );
  return (
    <div className={styles.message}>
      <EmptyState title={texts.nothing}>
        <p className="second">{texts.nothingHint}</p>
      </EmptyState>
      <CallCode label={texts.nothingHint} calls={[{ name: 'outcomes.commit', input: FIRST_OUTCOME }]} />
    </div>
  );
}

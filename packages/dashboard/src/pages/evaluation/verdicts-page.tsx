import { useMemo } from 'react';
import type { Request } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, numberParameter, textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../../ui/filters.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import branchStyles from '../branches/branches.module.css';
import styles from './evaluation.module.css';
import { type ListedVerdict, RESULTS, STARTER_JUDGES, VERDICT_ANSWERS, VERDICT_EVENTS } from './evaluation-data.ts';
import { JudgeLink, ResultTag, reasonColumn, scoreColumn } from './evaluation-marks.tsx';
import { VerdictInspector } from './verdict-inspector.tsx';

const texts = evaluation.verdicts;
const TIMES = ['', '1h', '24h', '7d', '30d'] as const;
type Time = (typeof TIMES)[number];
const HOURS: Record<Exclude<Time, ''>, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };
const MINUTE_MS = 60_000;
const PAGE = 50;

const parameters = {
  judge: textParameter(),
  version: numberParameter(0),
  agent: textParameter(),
  result: choiceParameter<'' | (typeof RESULTS)[number]>('', ['', ...RESULTS]),
  time: choiceParameter<Time>('', TIMES),
  trace: textParameter(),
  verdict: textParameter(),
};
const NO_FILTERS = { judge: '', version: 0, agent: '', result: '', time: '', trace: '' } as const;
type VerdictSearch = ReturnType<typeof useSearch<typeof parameters>>;

/** Where the stretch of time begins; it moves on every five minutes, so that the list is not asked for all the time. */
function useVerdictFilters({ judge, version, agent, result, time, trace }: VerdictSearch[0]): Request<'verdicts.list'> {
  const step = Math.floor(useNow(MINUTE_MS) / (5 * MINUTE_MS));
  return useMemo(() => {
    const since = time === '' ? '' : new Date((step * 5 - HOURS[time] * 60) * MINUTE_MS).toISOString();
    return {
      ...(judge === '' ? {} : { judge_id: judge }),
      ...(version === 0 ? {} : { judge_version: version }),
      ...(agent === '' ? {} : { agent_id: agent }),
      ...(result === '' ? {} : { result }),
      ...(since === '' ? {} : { since }),
      ...(trace === '' ? {} : { trace_id: trace }),
    };
  }, [judge, version, agent, result, time, trace, step]);
}

/** What judges found, of the newest traces first. */
export function VerdictsPage() {
  useCrumbs([{ label: texts.title }]);
  useBranchRefresh(VERDICT_EVENTS, VERDICT_ANSWERS);
  const now = useNow();
  const [search, set] = useSearch(parameters);
  const filters = useVerdictFilters(search);
  const input = { ...filters, limit: PAGE };
  const call = { name: 'verdicts.list', input } as const;
  const pages = usePages('verdicts.list', input, { keepPrevious: true });
  const verdicts = pages.data?.pages.flatMap((page) => page.verdicts) ?? [];
  const { verdict: selected } = search;
  return (
    <div className={classes(styles.page, styles.panes, selected !== '' && styles.withDetails)}>
      <div className={`${styles.main} edges`}>
        <div className={branchStyles.title}>
          <div className={branchStyles.headLine}>
            <h1>{texts.title}</h1>
            <span className="third wide-only">{texts.note}</span>
            <span className="grow" />
            <CopyAs call={call} />
          </div>
        </div>
        <Filters search={search} set={set} />
        <Loaded answer={pages} call={call} rows={10}>
          {() =>
            verdicts.length === 0 ? (
              <NoVerdict hasFilters={Object.keys(filters).length > 0} onClear={() => set({ ...NO_FILTERS })} />
            ) : (
              <Table
                label={texts.title}
                columns={columnsAt(now)}
                rows={verdicts}
                keyOf={({ verdict_id }) => verdict_id}
                selected={selected}
                onOpen={({ verdict_id }) => set({ verdict: verdict_id })}
              />
            )
          }
        </Loaded>
        <ShowMore pages={pages} />
      </div>
      {selected !== '' && <VerdictInspector verdictId={selected} onClose={() => set({ verdict: '' })} />}
    </div>
  );
}

/** Names of judges are for who sees the whole account; others type an id. */
const JUDGES = { name: 'judges.list', input: { limit: 1 } } as const;

function Filters({ search, set }: { search: VerdictSearch[0]; set: VerdictSearch[1] }) {
  const maySeeJudges = useInstalled([JUDGES]).get(JUDGES.name) === true;
  const judges = useOperation('judges.list', { limit: 100 }, { enabled: maySeeJudges });
  const agents = useOperation('agents.list', { limit: 1000 });
  const { filters } = texts;
  return (
    <div className={styles.filters}>
      <FilterBar>
        {maySeeJudges ? (
          <ChoiceFilter
            name={filters.judge}
            any={texts.any}
            value={search.judge}
            choices={judges.data?.judges.map(({ judge_id, name }) => ({ value: judge_id, label: name })) ?? []}
            onChange={(judge) => set({ judge })}
          />
        ) : (
          <TextFilter
            name={filters.judge}
            any={texts.any}
            hint={filters.judge}
            value={search.judge}
            onChange={(judge) => set({ judge })}
          />
        )}
        <ChoiceFilter
          name={filters.result}
          any={texts.any}
          value={search.result}
          choices={RESULTS.map((value) => ({ value, label: evaluation.results[value] }))}
          onChange={(result) => set({ result: result as (typeof RESULTS)[number] | '' })}
        />
        <ChoiceFilter
          name={filters.agent}
          any={texts.any}
          value={search.agent}
          choices={agents.data?.agents.map(({ agent_id }) => ({ value: agent_id, label: agent_id })) ?? []}
          onChange={(agent) => set({ agent })}
        />
        <ChoiceFilter
          name={filters.time}
          any={texts.allTime}
          value={search.time}
          choices={TIMES.flatMap((value) => (value === '' ? [] : [{ value, label: texts.times[value] }]))}
          onChange={(time) => set({ time: time as Time })}
        />
        <TextFilter
          name={filters.trace}
          any={texts.any}
          hint={filters.trace}
          value={search.trace}
          onChange={(trace) => set({ trace })}
        />
        {search.version > 0 && (
          <ChoiceFilter
            name={filters.version}
            any={texts.any}
            value={String(search.version)}
            choices={[]}
            onChange={() => set({ version: 0 })}
          />
        )}
      </FilterBar>
    </div>
  );
}

function NoVerdict({ hasFilters, onClear }: { hasFilters: boolean; onClear: () => void }) {
  if (hasFilters)
    return (
      <div className={branchStyles.empty}>
        <EmptyState title={texts.noneMatches} actions={<Button onClick={onClear}>{ui.clearFilters}</Button>} />
      </div>
    );
  return (
    <div className={branchStyles.empty}>
      <EmptyState title={texts.none}>
        <p className="second">{texts.noneHint}</p>
        <CallCode label={texts.noneHint} calls={[STARTER_JUDGES, { name: 'backfills.create', input: {} }]} />
      </EmptyState>
    </div>
  );
}

const columnsAt = (now: number): readonly Column<ListedVerdict>[] => [
  {
    id: 'sealed',
    head: texts.columns.sealed,
    width: 84,
    phone: 'time',
    cell: ({ traced_at }) => (
      <time className="third" dateTime={traced_at} title={fullTimeOf(traced_at)}>
        {ago(traced_at, now)}
      </time>
    ),
  },
  {
    id: 'judge',
    head: texts.columns.judge,
    width: 220,
    phone: 'name',
    cell: ({ judge_id, judge_version }) => (
      <>
        <JudgeLink id={judge_id} /> <span className="third small">{evaluation.judges.version(judge_version)}</span>
      </>
    ),
  },
  {
    id: 'agent',
    head: texts.columns.agent,
    width: 140,
    phone: 'hide',
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
  reasonColumn,
  scoreColumn,
  {
    id: 'result',
    head: texts.columns.result,
    width: 168,
    phone: 'value',
    cell: ({ result, human, judge_result }) => (
      <>
        <ResultTag result={result} /> {human !== null && human.result !== judge_result && <Tag>{texts.overruled}</Tag>}
      </>
    ),
  },
];

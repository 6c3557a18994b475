import { useMemo, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { isFailure } from '../../data/events.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { agents } from '../../texts/agents.ts';
import { clockTime, day, fullTimeOf, number } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/choice-menu.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EventName } from '../../ui/event-name.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ChartOrTable, type ChartSeries, Legend, TableToggle } from '../../ui/time-chart.tsx';
import styles from './agents.module.css';

const texts = agents.activity;
const DAY_MS = 86_400_000;
const DAYS = 30;
const PAGE = 50;

/** What an agent did: by day, and one by one. */
export function AgentActivity({ agent }: { agent: string }) {
  return (
    <>
      <ByDay agent={agent} />
      <OneByOne agent={agent} />
    </>
  );
}

const SERIES = [
  { id: 'read', label: texts.series.read, colour: '--s-read', types: ['cross_agent_read'] },
  { id: 'write', label: texts.series.write, colour: '--s-write', types: ['write'] },
  { id: 'outcome', label: texts.series.outcome, colour: '--s-outcome', types: ['outcome'] },
  { id: 'error', label: texts.series.error, colour: '--s-llm', types: ['error'] },
];

function ByDay({ agent }: { agent: string }) {
  const [isTable, setTable] = useState(false);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const starts = useMemo(() => Array.from({ length: DAYS }, (_, i) => today - (DAYS - 1 - i) * DAY_MS), [today]);
  const input = { unit: 'day' as const, agent_id: agent, since: new Date(starts[0] ?? today).toISOString() };
  const answer = useOperation('series.read', input, { keepPrevious: false });
  const series = useMemo(() => seriesOf(answer.data, starts), [answer.data, starts]);
  const totals = starts.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const most = Math.max(0, ...totals);
  const highest = most === 0 ? texts.none : texts.highest(most, day(starts[totals.indexOf(most)] ?? today));
  const places = starts.map((start) => ({
    short: start === today ? texts.today : day(start),
    long: day(start),
  }));
  return (
    <Section
      title={texts.title}
      note={texts.per}
      actions={
        <>
          <TableToggle isTable={isTable} onToggle={setTable} />
          <Legend series={series} />
        </>
      }
    >
      <Loaded answer={answer} call={{ name: 'series.read', input }}>
        {() => (
          <ChartOrTable
            isTable={isTable}
            label={texts.chart(agent, highest)}
            series={series}
            places={places}
            height={120}
          />
        )}
      </Loaded>
    </Section>
  );
}

function seriesOf(answer: Output<'series.read'> | undefined, starts: readonly number[]): ChartSeries[] {
  const points = new Map(answer?.points.map((point) => [Date.parse(point.at), point]));
  const known = new Set(SERIES.flatMap(({ types }) => types));
  const count = (start: number, isCounted: (type: string) => boolean) =>
    Object.entries(points.get(start)?.counts ?? {}).reduce((sum, [type, n]) => (isCounted(type) ? sum + n : sum), 0);
  const failed = starts.map((start) => points.get(start)?.failed_outcomes ?? 0);
  const named = SERIES.map(({ types, ...rest }) => ({
    ...rest,
    values: starts.map((start, i) => {
      const all = count(start, (type) => types.includes(type));
      return rest.id === 'outcome' ? all - (failed[i] ?? 0) : all;
    }),
  }));
  const other = starts.map((start) => count(start, (type) => !known.has(type)));
  return [
    ...named,
    { id: 'failed', label: texts.series.failed, colour: '--s-error', values: failed },
    { id: 'other', label: texts.series.other, colour: '--s-other', values: other },
  ];
}

type TimelineEvent = Output<'agents.timeline'>['events'][number];
const TYPES = ['all', 'write', 'outcome', 'cross_agent_read', 'error'] as const;
const CHOICES = TYPES.map((value) => ({ value, label: value === 'all' ? texts.all : texts.types[value] }));
const parameters = { type: choiceParameter<(typeof TYPES)[number]>('all', TYPES) };

function OneByOne({ agent }: { agent: string }) {
  const [{ type }, set] = useSearch(parameters);
  const input = { agent_id: agent, limit: PAGE, ...(type === 'all' ? {} : { event_type: [type] }) };
  const pages = usePages('agents.timeline', input);
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Section
      title={texts.recent}
      note={texts.newest}
      bleed
      actions={
        <>
          <ChoiceMenu name={texts.type} value={type} choices={CHOICES} onChange={(next) => set({ type: next })} />
          <CopyAs call={{ name: 'agents.timeline', input }} short />
        </>
      }
    >
      <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} rows={8} call={{ name: 'agents.timeline', input }}>
        {() =>
          events.length === 0 ? (
            <p className={`third ${styles.note}`}>{texts.nothing}</p>
          ) : (
            <Table label={texts.recent} columns={COLUMNS} rows={events} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {pages.hasNextPage && (
        <div className={styles.foot}>
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {texts.more}
          </Button>
          <span className="third small">{number(events.length)}</span>
        </div>
      )}
    </Section>
  );
}

const COLUMNS: Column<TimelineEvent>[] = [
  {
    id: 'time',
    head: texts.columns.time,
    width: 140,
    phone: 'time',
    cell: ({ created_at }) => (
      <span className="mono third" title={fullTimeOf(created_at)}>
        {isToday(created_at) ? '' : `${day(created_at)} `}
        {clockTime(created_at)}
      </span>
    ),
  },
  {
    id: 'type',
    head: texts.columns.type,
    width: 160,
    phone: 'name',
    cell: (event) => (
      <EventName
        event={event}
        className={event.event_type === 'error' || isFailure(event.details.outcome_type as string) ? 'bad' : 'second'}
      />
    ),
  },
  {
    id: 'what',
    head: texts.columns.what,
    phone: 'detail',
    cell: (event) => {
      const href = hrefOfTimeline(event);
      return href === undefined ? (
        <span title={event.summary}>{event.summary}</span>
      ) : (
        <a href={href} title={event.summary}>
          {event.summary}
        </a>
      );
    },
  },
  {
    id: 'branch',
    head: texts.columns.branch,
    width: 110,
    end: true,
    phone: 'hide',
    cell: ({ branch }) => <span className="third small">{branch}</span>,
  },
];

const isToday = (at: string): boolean => new Date(at).toDateString() === new Date().toDateString();

/** Where an event of a timeline leads, as far as its details say so. */
function hrefOfTimeline({ details }: TimelineEvent): string | undefined {
  const { entity_path, key, trace_id, outcome_ref } = details;
  if (typeof entity_path === 'string' && typeof key === 'string') return hrefOf('memory', entity_path, { key });
  if (typeof trace_id === 'string') return hrefOf('traces', trace_id);
  return typeof outcome_ref === 'string' ? hrefOf('traces', '', { outcome_ref }) : undefined;
}

import { useMemo, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { day, duration, number, percent } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { usageTexts as texts } from '../../texts/usage.ts';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Figures } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ChartOrTable, type ChartSeries, Legend, TableToggle } from '../../ui/time-chart.tsx';
import styles from './admin.module.css';
import { Limits } from './limits.tsx';
import { AdminBar } from './panes.tsx';

const RANGES = ['7', '30', '90', '365'] as const;
const CHOICES = RANGES.map((value) => ({ value, label: texts.ranges[value] }));
const parameters = { days: choiceParameter<(typeof RANGES)[number]>('30', RANGES) };
const DAY_MS = 86_400_000;

type UsageReport = Output<'usage.read'>;

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** How much the account is used, and what its limits are. */
export function UsagePage() {
  const [{ days }, set] = useSearch(parameters);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const dates = useMemo(
    () => Array.from({ length: Number(days) }, (_, i) => dateOf(today - (Number(days) - 1 - i) * DAY_MS)),
    [days, today],
  );
  const input = { from: dates[0] ?? dateOf(today), to: dateOf(today) };
  const call = { name: 'usage.read' as const, input };
  const usage = useOperation('usage.read', input);
  return (
    <>
      <AdminBar title={pageTitles.usage}>
        <Segmented label={texts.range} value={days} choices={CHOICES} onChange={(next) => set({ days: next })} />
        <CopyAs call={call} short />
      </AdminBar>
      <div className={styles.part}>
        <Loaded answer={usage} call={call}>
          {(report) => <UsageFigures report={report} />}
        </Loaded>
      </div>
      {usage.data && <UsageCharts report={usage.data} dates={dates} />}
      <Limits quotas={usage.data?.quotas ?? []} />
      {usage.data && <Top report={usage.data} />}
    </>
  );
}

const milliseconds = (n: number | null): string => (n === null ? texts.figures.none : duration(n));

function UsageFigures({ report }: { report: UsageReport }) {
  const { figures } = texts;
  const { requests, errors, ops, peak_rpm, latency_ms } = report;
  return (
    <Figures
      figures={[
        { label: figures.requests, value: number(requests), note: figures.requestsToday(report.requests_today) },
        {
          label: figures.errors,
          value: number(errors),
          note: requests === 0 ? '' : figures.errorsOf(percent(errors / requests)),
        },
        {
          label: figures.ops,
          value: number(ops),
          note: figures.opsMonth(report.ops_this_month),
          hint: figures.opsHint,
        },
        { label: figures.peak, value: number(peak_rpm), note: figures.peakNote },
        {
          label: figures.latency,
          value: milliseconds(latency_ms.p50),
          note:
            latency_ms.p50 === null
              ? ''
              : figures.latencyNote(milliseconds(latency_ms.p95), milliseconds(latency_ms.p99)),
        },
      ]}
    />
  );
}

function UsageCharts({ report, dates }: { report: UsageReport; dates: readonly string[] }) {
  const [isTable, setTable] = useState(false);
  const points = new Map(report.series.map((point) => [point.day, point]));
  const values = (of: (point: UsageReport['series'][number]) => number) =>
    dates.map((date) => {
      const point = points.get(date);
      return point === undefined ? 0 : Math.max(0, of(point));
    });
  const requests: ChartSeries[] = [
    { id: 'reads', label: texts.chart.series.reads, colour: '--s-read', values: values(({ reads }) => reads) },
    { id: 'writes', label: texts.chart.series.writes, colour: '--s-write', values: values(({ writes }) => writes) },
    {
      id: 'other',
      label: texts.chart.series.other,
      colour: '--s-other',
      values: values((point) => point.requests - point.reads - point.writes),
    },
  ];
  const errors: ChartSeries[] = [
    { id: 'errors', label: texts.chart.errors.title, colour: '--s-error', values: values((point) => point.errors) },
  ];
  const places = dates.map((date, i) => ({
    short: i === dates.length - 1 ? texts.chart.today : day(`${date}T12:00:00Z`),
    long: day(`${date}T12:00:00Z`),
  }));
  const highest = (series: readonly ChartSeries[]) => {
    const totals = dates.map((_, i) => series.reduce((sum, { values: all }) => sum + (all[i] ?? 0), 0));
    const most = Math.max(0, ...totals);
    return most === 0 ? texts.chart.nothing : texts.chart.highest(most, places[totals.indexOf(most)]?.long ?? '');
  };
  return (
    <>
      <Section
        title={texts.chart.title}
        note={texts.chart.per}
        actions={
          <>
            <TableToggle isTable={isTable} onToggle={setTable} />
            <Legend series={requests} />
          </>
        }
      >
        <ChartOrTable
          isTable={isTable}
          label={texts.chart.label(dates.length, highest(requests))}
          series={requests}
          places={places}
        />
      </Section>
      {report.errors > 0 && (
        <Section title={texts.chart.errors.title} note={texts.chart.per}>
          <ChartOrTable
            isTable={isTable}
            label={texts.chart.errors.label(highest(errors))}
            series={errors}
            places={places}
            height={90}
          />
        </Section>
      )}
    </>
  );
}

type Tally = Omit<UsageReport['top_agents'][number], 'agent_id'> & { id: string };

function Top({ report }: { report: UsageReport }) {
  const agents = report.top_agents.map(({ agent_id, ...rest }) => ({ id: agent_id, ...rest }));
  const paths = report.top_paths.map(({ entity_path, ...rest }) => ({ id: entity_path, ...rest }));
  return (
    <div className={styles.columns}>
      <Section title={texts.top.agents} bleed>
        <TopTable
          label={texts.top.agents}
          head={texts.columns.agent}
          rows={agents}
          hrefFor={(id) => hrefOf('agents', id)}
        />
      </Section>
      <Section title={texts.top.paths} bleed>
        <TopTable
          label={texts.top.paths}
          head={texts.columns.path}
          rows={paths}
          hrefFor={(id) => hrefOf('memory', id)}
          isMono
        />
      </Section>
    </div>
  );
}

type TopTableProps = {
  label: string;
  head: string;
  rows: readonly Tally[];
  hrefFor: (id: string) => string;
  isMono?: boolean;
};

function TopTable({ label, head, rows, hrefFor, isMono = false }: TopTableProps) {
  if (rows.length === 0) return <p className={`third ${styles.note}`}>{texts.top.nothing}</p>;
  const count = (id: 'requests' | 'reads' | 'writes' | 'errors', phone: Column<Tally>['phone']): Column<Tally> => ({
    id,
    head: texts.columns[id],
    width: 76,
    end: true,
    phone,
    isNamed: true,
    cell: (row) => <span className={id === 'errors' && row[id] > 0 ? 'bad' : 'second'}>{number(row[id])}</span>,
  });
  const columns: Column<Tally>[] = [
    {
      id: 'name',
      head,
      phone: 'name',
      cell: ({ id }) => (
        <a href={hrefFor(id)} className={isMono ? 'mono' : undefined} title={id}>
          {id}
        </a>
      ),
    },
    count('requests', 'time'),
    count('reads', 'hide'),
    count('writes', 'hide'),
    count('errors', 'value'),
  ];
  return <Table label={label} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

import { number, percent } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { WholeIncident } from './incident-data.ts';

type FigureRow = WholeIncident['window'] & { which: keyof typeof texts.which };

/** What was counted: the traces that opened it, those before, and those since. */
export function IncidentFigures({ incident }: { incident: WholeIncident }) {
  const { window, base, since } = incident;
  const rows: FigureRow[] = [
    { which: 'window', ...window },
    ...(base ? [{ which: 'base' as const, ...base }] : []),
    { which: 'since', ...since },
  ];
  return (
    <Section title={texts.figures} bleed>
      <Table label={texts.figures} columns={columnsOf(incident)} rows={rows} keyOf={({ which }) => which} />
    </Section>
  );
}

const columnsOf = ({ source_kind }: WholeIncident): readonly Column<FigureRow>[] => [
  {
    id: 'which',
    head: texts.figureColumns.which,
    phone: 'name',
    cell: ({ which }) => texts.which[which],
  },
  {
    ...{ id: 'samples', head: texts.figureColumns.samples, width: 84, end: true, phone: 'hide' },
    cell: ({ samples }) => <span className="second">{number(samples)}</span>,
  },
  {
    ...{ id: 'failures', head: texts.failed[source_kind], width: 84, end: true, phone: 'hide' },
    cell: ({ failures }) => <span className="second">{number(failures)}</span>,
  },
  {
    ...{ id: 'rate', head: texts.figureColumns.rate, width: 84, end: true, phone: 'value' },
    cell: ({ rate, which }) => (
      <span className={which === 'window' ? 'bad' : 'second'}>{rate === null ? '–' : percent(rate)}</span>
    ),
  },
  {
    ...{ id: 'interval', head: texts.figureColumns.interval, width: 140, end: true, phone: 'detail' },
    cell: ({ rate, low, high }) => <span className="third">{rate === null ? '–' : texts.interval(low, high)}</span>,
  },
];

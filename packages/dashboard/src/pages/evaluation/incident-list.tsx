import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, fullTimeOf, percent } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import type { Column } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { STARTER_JUDGES } from './evaluation-data.ts';
import { SourceName } from './evaluation-marks.tsx';
import { INCIDENT_TONES, type ListedIncident } from './incident-data.ts';
import { NoneYet } from './none-yet.tsx';
import { StatusList } from './status-list.tsx';

const STATUSES = ['', 'open', 'acknowledged', 'muted', 'resolved'] as const;
type IncidentsStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<IncidentsStatus>('', STATUSES) };
const PAGE = 50;

/** Those that were opened last first. */
export function IncidentList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ status }, set] = useSearch(parameters);
  const input = { limit: PAGE, ...(status === '' ? {} : { status }) };
  const call = { name: 'incidents.list', input } as const;
  const pages = usePages('incidents.list', input);
  const rows = pages.data?.pages.flatMap((page) => page.incidents) ?? [];
  return (
    <StatusList
      texts={texts}
      statuses={STATUSES}
      status={status}
      onStatus={(next) => set({ status: next })}
      call={call}
      pages={pages}
      rows={rows}
      columns={columnsAt(now)}
      keyOf={({ incident_id }) => incident_id}
      onOpen={({ incident_id }) => navigate(hrefOf('incidents', incident_id))}
      none={
        <NoneYet texts={texts} status={status === '' ? undefined : texts.statusOf[status]} first={STARTER_JUDGES} />
      }
    />
  );
}

const shareOf = (rate: number | null | undefined): string =>
  rate === null || rate === undefined ? '–' : percent(rate);

const columnsAt = (now: number): readonly Column<ListedIncident>[] => [
  {
    id: 'source',
    head: texts.columns.source,
    phone: 'name',
    cell: ({ incident_id, source_kind, source_id, reason, related, related_complete }) => (
      <span className={styles.branch}>
        <Icon name="alarm" />
        <a className="strong cut" href={hrefOf('incidents', incident_id)} title={reason}>
          <SourceName kind={source_kind} id={source_id} />
        </a>
        {related.length > 0 && <span className="third">{texts.more(related.length, related_complete)}</span>}
      </span>
    ),
  },
  {
    id: 'agent',
    head: texts.columns.agent,
    phone: 'detail',
    cell: ({ agent_id }) => <span className="second">{agent_id ?? texts.several}</span>,
  },
  {
    id: 'rate',
    head: texts.columns.rate,
    width: 84,
    end: true,
    phone: 'hide',
    cell: ({ window }) => <span className="bad">{shareOf(window.rate)}</span>,
  },
  {
    id: 'before',
    head: texts.columns.before,
    width: 84,
    end: true,
    phone: 'hide',
    cell: ({ base }) => <span className="second">{shareOf(base?.rate)}</span>,
  },
  {
    id: 'status',
    head: texts.columns.status,
    width: 124,
    phone: 'value',
    cell: ({ status }) => <Tag tone={INCIDENT_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  {
    id: 'opened',
    head: texts.columns.opened,
    width: 92,
    phone: 'time',
    cell: ({ opened_at }) => (
      <time className="third" dateTime={opened_at} title={fullTimeOf(opened_at)}>
        {ago(opened_at, now)}
      </time>
    ),
  },
];

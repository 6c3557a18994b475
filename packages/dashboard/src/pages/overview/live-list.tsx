import { useMemo } from 'react';
import { actorOf, type FeedEvent, MAINTENANCE_TYPES, SERVICE_AGENT } from '../../data/events.ts';
import { useIsDue } from '../../data/first-paint.ts';
import { useLiveStatus } from '../../data/use-live.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate, textParameter, useSearch } from '../../router/router.tsx';
import { eventName } from '../../texts/events.ts';
import { clockTime, fullTimeOf } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/choices.tsx';
import { EventActor } from '../../ui/event-actor.tsx';
import { EventName } from '../../ui/event-name.tsx';
import { EventWhat, hrefOfEvent } from '../../ui/event-what.tsx';
import { Confidence } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './overview.module.css';
import type { Overview } from './overview-data.ts';
import { useLiveRows } from './use-live-rows.ts';

const texts = overview.live;
/** As many as most screens have room for: the others are drawn after the first paint. */
const FIRST_ROWS = 12;
const parameters = { type: textParameter(), agent: textParameter() };

const columns: readonly Column<FeedEvent>[] = [
  {
    id: 'time',
    head: texts.columns.time,
    width: 92,
    phone: 'time',
    cell: ({ created_at }) => (
      <time className="mono third" dateTime={created_at} title={fullTimeOf(created_at)}>
        {clockTime(created_at)}
      </time>
    ),
  },
  {
    id: 'agent',
    head: texts.columns.agent,
    width: 128,
    phone: 'name',
    cell: (event) => <EventActor event={event} />,
  },
  {
    id: 'event',
    head: texts.columns.event,
    width: 172,
    phone: 'hide',
    cell: (event) => <EventName event={event} className="second" />,
  },
  { id: 'what', head: texts.columns.what, phone: 'detail', cell: (event) => <EventWhat event={event} /> },
  {
    id: 'confidence',
    head: texts.columns.confidence,
    width: 132,
    end: true,
    phone: 'value',
    cell: ({ details }) => typeof details.confidence === 'number' && <Confidence value={details.confidence} />,
  },
];

/** What happens, as it happens. It waits while the pointer or the focus is in it. */
export function LiveList({ stats }: { stats: Overview['stats'] }) {
  const [{ type, agent }, set] = useSearch(parameters);
  const { start, shown, waiting, hold, show, announcement } = useLiveRows(stats.data?.last_seq, type);
  // The list begins where the statistics say that the log ends.
  const answer = stats.data === undefined ? { ...stats, data: undefined } : start;
  const { state } = useLiveStatus();
  const most = useIsDue(true) ? shown.length : FIRST_ROWS;
  const rows = useMemo(
    () => shown.filter((event) => agent === '' || agentsOf(event).includes(agent)).slice(0, most),
    [shown, agent, most],
  );
  const actions = (
    <>
      {waiting.length > 0 && <Button onClick={show}>{texts.showNew(waiting.length)}</Button>}
      <FilterMenu
        name={texts.type}
        value={type}
        choices={[...new Set([...sorted(shown.map(({ event_type }) => event_type)), ...MAINTENANCE_TYPES])]}
        labelOf={eventName}
        onChange={(next) => set({ type: next })}
      />
      <FilterMenu
        name={texts.agent}
        value={agent}
        choices={sorted(shown.flatMap(agentsOf))}
        onChange={(next) => set({ agent: next })}
      />
      <a className="link small" href={hrefOf('timeline')}>
        {texts.timeline}
      </a>
    </>
  );
  return (
    <Section
      tour="live"
      title={texts.title}
      note={state === 'paused' ? texts.paused : texts.note}
      actions={actions}
      bleed
      className={styles.live}
    >
      <div className="unseen" aria-live="polite">
        {announcement}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices that somebody reads. */}
      <div
        className="edges"
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        onFocus={() => hold(true)}
        onBlur={() => hold(false)}
      >
        <Loaded answer={answer} rows={12} call={{ name: 'log.list', input: {} }}>
          {() =>
            rows.length === 0 ? (
              <p className={`${styles.nothing} third`}>
                {shown.length === 0 && type === '' ? texts.nothing : texts.nothingMatches}
              </p>
            ) : (
              <Table label={texts.title} columns={columns} rows={rows} keyOf={({ seq }) => seq} onOpen={openEvent} />
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

const openEvent = (event: FeedEvent) => navigate(hrefOfEvent(event));

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** The agent that it is about, and the one that did it. */
const agentsOf = (event: FeedEvent): string[] =>
  [event.agent_id, actorOf(event)].filter((agent) => agent !== SERVICE_AGENT);

type FilterProps = {
  name: string;
  value: string;
  choices: readonly string[];
  labelOf?: (choice: string) => string;
  onChange: (value: string) => void;
};

function FilterMenu({ name, value, choices, labelOf = (choice) => choice, onChange }: FilterProps) {
  if (value !== '')
    return (
      <Chip name={name} onRemove={() => onChange('')}>
        {labelOf(value)}
      </Chip>
    );
  const items = choices.map((choice) => ({ id: choice, label: labelOf(choice), onSelect: () => onChange(choice) }));
  return (
    <span className="wide-only">
      <Menu label={`${name} ${texts.all}`} kind="chipButton" items={items} data-page-search>
        <span className="third">{name}</span> {texts.all}
      </Menu>
    </span>
  );
}

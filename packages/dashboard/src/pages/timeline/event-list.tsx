import { memo, type RefObject, useCallback, useState } from 'react';
import type { FeedEvent } from '../../data/events.ts';
import { useLiveStatus } from '../../data/use-live.ts';
import { timeline as texts } from '../../texts/timeline.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { classes } from '../../ui/classes.ts';
import { EventName } from '../../ui/event-name.tsx';
import { actorName } from '../../ui/event-things.ts';
import { EventWhat } from '../../ui/event-what.tsx';
import { Cell, RowList, type RowListHandle } from '../../ui/row-list.tsx';
import { EmptyState, ErrorState, Progress, Skeleton } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/use-media.ts';
import { hasFilter, type TimelineFilter } from './event-filter.ts';
import { useEventRows } from './event-rows.ts';
import { markOf } from './lane-layout.ts';
import { momentOf } from './time-window.ts';
import styles from './timeline.module.css';

type EventListProps = {
  filter: TimelineFilter;
  at: string;
  selected: number;
  handle: RefObject<RowListHandle | null>;
  onSelect: (seq: number) => void;
  onClear: () => void;
};

/** The events themselves, newest first, as far back as somebody scrolls. The lanes above it change more often. */
export const EventList = memo(Events);

function Events({ filter, at, selected, handle, onSelect, onClear }: EventListProps) {
  const [isInside, setInside] = useState(false);
  const isHeld = useCallback(() => isInside || handle.current?.isAtTop() === false, [isInside, handle]);
  const { rows, waiting, show, lookedBack, beginning } = useEventRows(filter, at, isHeld);
  const onRange = useCallback((first: number, last: number) => rows.show(first, last), [rows]);
  const isPhone = useIsPhone();
  const { state } = useLiveStatus();
  const isBegun = filter.agent !== '' || beginning.data !== undefined;
  const isLoading = rows.isLoading || (!isBegun && beginning.error === null);
  const error = rows.error ?? (isBegun ? undefined : (beginning.error ?? undefined));
  const retry = () => void (rows.error === undefined ? beginning.refetch() : rows.retry());
  const isEmpty = rows.count === 0 && !rows.isPending && !isLoading && (!rows.hasMore || rows.isPaused);
  const note = at === '' ? texts.newestFirst : texts.upTo(momentOf(at));
  return (
    <section className={styles.list} aria-label={texts.list}>
      <header className={styles.listHead}>
        <h2>{texts.list}</h2>
        <span className="third small">{state === 'paused' ? texts.paused : note}</span>
        <span className="grow" />
        {waiting > 0 && <Button onClick={show}>{texts.showNew(waiting)}</Button>}
        {rows.isPaused && rows.count > 0 && <Further at={lookedBack} onMore={() => rows.retry()} />}
      </header>
      {error !== undefined && (
        <div className={styles.message}>
          <ErrorState error={error} onRetry={retry} call={{ name: 'log.list', input: {} }} />
        </div>
      )}
      {isEmpty && error === undefined && (
        <div className={styles.message}>
          <Nothing isFiltered={hasFilter(filter) || at !== ''} onClear={onClear} />
          {rows.isPaused && <Further at={lookedBack} onMore={() => rows.retry()} />}
        </div>
      )}
      {rows.count === 0 && isLoading && (
        <div className={styles.message}>
          {hasFilter(filter) ? <Progress label={texts.loading} /> : <Skeleton rows={8} />}
        </div>
      )}
      {rows.count > 0 && (
        <div className={styles.rows} onPointerEnter={() => setInside(true)} onPointerLeave={() => setInside(false)}>
          <RowList
            key={rows.id}
            label={texts.list}
            count={rows.count}
            rowPx={isPhone ? 52 : 32}
            handle={handle}
            onRange={onRange}
            onOpen={(index) => {
              const event = rows.rowAt(index);
              if (event) onSelect(event.seq);
            }}
            row={(index) => {
              const event = rows.rowAt(index);
              return event && <Row event={event} isPhone={isPhone} isSelected={event.seq === selected} />;
            }}
          />
        </div>
      )}
    </section>
  );
}

function Further({ at, onMore }: { at: string; onMore: () => void }) {
  return (
    <span className="line">
      {at !== '' && <span className="third small">{texts.lookedBack(momentOf(at))}</span>}
      <Button onClick={onMore}>{texts.lookFurther}</Button>
    </span>
  );
}

type EventRowProps = { event: FeedEvent; isPhone: boolean; isSelected: boolean };

/** Rows that stay in view while the list is scrolled are not drawn again. */
const Row = memo(EventRow);

function EventRow({ event, isPhone, isSelected }: EventRowProps) {
  const { created_at } = event;
  const actor = actorName(event);
  const time = (
    <time className="mono third" dateTime={created_at}>
      {momentOf(created_at)}
    </time>
  );
  if (isPhone)
    return (
      <Cell className={classes(styles.phoneRow, isSelected && styles.selected)}>
        <span className="cut">
          {actor} <EventName event={event} className="third" />
        </span>
        {time}
        <span className={classes('cut small', styles.phoneWhat)}>
          <EventWhat event={event} />
        </span>
      </Cell>
    );
  return (
    <div className={classes(styles.row, isSelected && styles.selected)} role="presentation">
      <Cell>{time}</Cell>
      <Cell className="cut" title={actor}>
        {actor}
      </Cell>
      <Cell className="line second">
        <span className={styles.dot} style={{ background: `var(${markOf(event).colour})` }} />
        <EventName event={event} className="cut" />
      </Cell>
      <Cell className="cut">
        <EventWhat event={event} />
      </Cell>
    </div>
  );
}

const FIRST_WRITE = { entity_path: 'checkout/payments', key: 'retry-policy', value: 'three attempts' };

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return <EmptyState title={texts.nothingMatches} actions={<Button onClick={onClear}>{ui.clearFilters}</Button>} />;
  return (
    <>
      <EmptyState title={texts.nothing}>
        <p className="second">{texts.nothingHint}</p>
      </EmptyState>
      <CallCode label={texts.nothingHint} calls={[{ name: 'entries.write', input: FIRST_WRITE }]} />
    </>
  );
}

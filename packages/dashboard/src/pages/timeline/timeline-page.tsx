import { useCallback, useMemo, useRef } from 'react';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { useLiveStatus } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { choiceParameter, numberParameter, textParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { toggleLive } from '../../shell/top-bar.tsx';
import { eventName } from '../../texts/events.ts';
import { shell } from '../../texts/shell.ts';
import { timeline as texts } from '../../texts/timeline.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../../ui/filters.tsx';
import type { RowListHandle } from '../../ui/row-list.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Density } from './density.tsx';
import type { TimelineFilter } from './event-filter.ts';
import { EventInspector } from './event-inspector.tsx';
import { EventList } from './event-list.tsx';
import { Lanes } from './lanes.tsx';
import { finerThan, momentOf, type TimeWindow, UNIT_MS, windowOf, ZOOMS, type Zoom } from './time-window.ts';
import styles from './timeline.module.css';
import { useLanes } from './use-lanes.ts';

const parameters = {
  zoom: choiceParameter<Zoom>('hour', ZOOMS),
  at: textParameter(),
  type: textParameter(),
  agent: textParameter(),
  path: textParameter(),
  branch: textParameter(),
  event: numberParameter(0),
};
type SearchState = ReturnType<typeof useSearch<typeof parameters>>;
const MINUTE_MS = 60_000;
const NO_FILTER = { type: '', agent: '', path: '', branch: '' };

/** What happened, by agent and in order. */
export function TimelinePage() {
  useCrumbs([{ label: texts.title }]);
  const [search, set] = useSearch(parameters);
  const { zoom, at, event } = search;
  const window = useWindow(zoom, at);
  const filter = useFilter(search);
  const { state } = useLiveStatus();
  const isLive = at === '' && state !== 'paused';
  const { input, series, types, total, lanes, isDrawn } = useLanes(window, filter, isLive);
  const list = useRef<RowListHandle>(null);
  const select = useCallback((seq: number) => set({ event: seq }), [set]);
  const clear = useCallback(() => set({ ...NO_FILTER, at: '' }), [set]);
  useWindowKeys(window, set);
  const complete = series.data?.complete_since;
  return (
    <div className={event > 0 ? styles.withInspector : styles.page}>
      <div className={styles.main}>
        <div className={styles.title}>
          <Title search={search} window={window} set={set} input={input} />
          <Filters search={search} set={set} types={types} />
        </div>
        <div className={styles.chart}>
          <span className="third small">{total !== undefined && texts.events(total)}</span>
          <Loaded answer={series} rows={2} call={{ name: 'series.read', input }}>
            {(data) => (
              <Density
                series={data}
                window={window}
                onPick={(_, to) => set({ zoom: finerThan(zoom), at: new Date(to).toISOString() })}
              />
            )}
          </Loaded>
        </div>
        <Lanes lanes={lanes} window={window} events={total ?? 0} selected={event} onSelect={({ seq }) => select(seq)} />
        {!isDrawn && <p className={styles.note}>{zoom === 'minute' ? texts.countedFinest : texts.counted}</p>}
        {complete && Date.parse(complete) > window.from && (
          <p className={styles.note}>{texts.incomplete(momentOf(complete))}</p>
        )}
        <EventList filter={filter} at={at} selected={event} handle={list} onSelect={select} onClear={clear} />
      </div>
      {event > 0 && <EventInspector key={event} seq={event} onClose={() => set({ event: 0 })} />}
    </div>
  );
}

function useWindow(zoom: Zoom, at: string): TimeWindow {
  const minute = Math.floor(useNow(MINUTE_MS / 4) / MINUTE_MS);
  const end = at === '' ? minute : 0;
  return useMemo(() => windowOf(zoom, at, (end + 1) * MINUTE_MS), [zoom, at, end]);
}

function useFilter({ type, agent, path, branch }: TimelineFilter): TimelineFilter {
  return useMemo(() => ({ type, agent, path, branch }), [type, agent, path, branch]);
}

const moved = ({ to, count, unit }: TimeWindow, by: number): string => {
  const next = to + by * Math.ceil(count / 2) * UNIT_MS[unit];
  return next >= Date.now() ? '' : new Date(next).toISOString();
};

/** < and > go through time, + and - zoom, [ and ] go from event to event. */
function useWindowKeys(window: TimeWindow, set: SearchState[1]): void {
  const zoomBy = (by: number) => {
    const next = ZOOMS[ZOOMS.indexOf(window.zoom) + by];
    if (next) set({ zoom: next });
  };
  useCommands([
    { id: 'earlier', label: texts.earlier, keys: '<', group: 'page', run: () => set({ at: moved(window, -1) }) },
    { id: 'later', label: texts.later, keys: '>', group: 'page', run: () => set({ at: moved(window, 1) }) },
    { id: 'zoom-in', label: texts.zoomIn, keys: '+', group: 'page', run: () => zoomBy(-1) },
    { id: 'zoom-out', label: texts.zoomOut, keys: '-', group: 'page', run: () => zoomBy(1) },
  ]);
}

type TitleProps = {
  search: SearchState[0];
  window: TimeWindow;
  set: SearchState[1];
  input: Record<string, unknown>;
};

function Title({ search: { zoom, at }, window, set, input }: TitleProps) {
  const { state } = useLiveStatus();
  const isPaused = state === 'paused';
  return (
    <div className={styles.titleLine}>
      <h1 className="grow">{texts.title}</h1>
      <Segmented
        label={texts.zoom}
        value={zoom}
        choices={ZOOMS.map((value) => ({ value, label: texts.zooms[value] }))}
        onChange={(next) => set({ zoom: next })}
      />
      <span className={styles.moves}>
        <Button icon="back" aria-label={texts.earlier} onClick={() => set({ at: moved(window, -1) })} />
        <input
          type="datetime-local"
          className={styles.jump}
          aria-label={texts.jump}
          value={localTime(window.to)}
          onChange={({ target }) =>
            set({ at: target.value === '' ? '' : new Date(target.value).toISOString(), event: 0 })
          }
        />
        <Button
          icon="right"
          aria-label={texts.later}
          disabled={at === ''}
          onClick={() => set({ at: moved(window, 1) })}
        />
        <Button disabled={at === ''} onClick={() => set({ at: '' })}>
          {texts.now}
        </Button>
      </span>
      <span className="wide-only line">
        <Button icon={isPaused ? 'play' : 'pause'} onClick={toggleLive} disabled={state === 'off'}>
          {isPaused ? shell.live.resume : shell.live.pause}
        </Button>
      </span>
      <CopyAs call={{ name: 'series.read', input }} />
    </div>
  );
}

/** As the field wants it, in the time of the browser. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

const BRANCHES = { name: 'branches.list', input: { limit: 1 } } as const;

function Filters({ search, set, types }: { search: SearchState[0]; set: SearchState[1]; types: readonly string[] }) {
  const agents = useOperation('agents.list', { limit: 1000 });
  const hasBranches = useInstalled([BRANCHES]).get(BRANCHES.name) === true;
  const branches = useOperation('branches.list', { limit: 100 }, { enabled: hasBranches });
  const named = (names: readonly string[]) => names.map((value) => ({ value, label: value }));
  const { filters } = texts;
  return (
    <FilterBar>
      <ChoiceFilter
        name={filters.type}
        any={texts.any}
        value={search.type}
        choices={types.map((value) => ({ value, label: eventName(value) }))}
        onChange={(type) => set({ type })}
      />
      <ChoiceFilter
        name={filters.agent}
        any={texts.any}
        value={search.agent}
        choices={named(agents.data?.agents.map(({ agent_id }) => agent_id) ?? [])}
        onChange={(agent) => set({ agent })}
      />
      <TextFilter
        name={filters.path}
        any={texts.any}
        hint={texts.path}
        value={search.path}
        onChange={(path) => set({ path })}
      />
      <ChoiceFilter
        name={filters.branch}
        any={texts.any}
        value={search.branch}
        choices={named(['main', ...(branches.data?.branches.map(({ name }) => name) ?? [])])}
        onChange={(branch) => set({ branch })}
      />
    </FilterBar>
  );
}

import { useLiveStatus } from '../../data/use-live.ts';
import { useDemo } from '../../demo/use-demo.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { toggleLive } from '../../shell/top-bar.tsx';
import { startTour } from '../../shell/tour-state.ts';
import { commands } from '../../texts/commands.ts';
import { overview } from '../../texts/overview.ts';
import { shell } from '../../texts/shell.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Activity } from './activity.tsx';
import { ActiveAgents } from './agents.tsx';
import { EmptyStore } from './empty-store.tsx';
import { OverviewFigures } from './figures.tsx';
import { LiveList } from './live-list.tsx';
import { Moved } from './moved.tsx';
import { NeedsAPerson } from './needs.tsx';
import styles from './overview.module.css';
import { type Overview, useOverview } from './overview-data.ts';
import { RANGES, type Range } from './ranges.ts';
import { Trends } from './trends.tsx';

const parameters = { range: choiceParameter<Range>('1h', RANGES) };
const CHOICES = RANGES.map((value) => ({ value, label: overview.ranges[value] }));

/** What happened lately, and what needs a person. */
export function OverviewPage() {
  useCrumbs([{ label: overview.title }]);
  const [{ range }, set] = useSearch(parameters);
  const data = useOverview(range);
  const demo = useDemo();
  const isEmpty = data.stats.data?.total_entries === 0;
  useCommands([
    {
      id: 'tour',
      label: isEmpty ? overview.empty.tour : commands.tour,
      group: 'page',
      run: isEmpty ? () => void demo.load().then(startTour) : startTour,
    },
    demo.isThere
      ? { id: 'demo-remove', label: commands.demoRemove, group: 'page', run: () => void demo.remove() }
      : { id: 'demo-load', label: commands.demoLoad, group: 'page', run: () => void demo.load() },
  ]);
  // While the demo is written the page stays as it is.
  if (isEmpty || demo.progress !== undefined) return <EmptyStore demo={demo} />;
  return (
    <div className={styles.page}>
      <div className={styles.main}>
        <Title data={data} range={range} onRange={(next) => set({ range: next })} />
        <Activity data={data} range={range} />
        <Trends data={data} range={range} />
        <LiveList stats={data.stats} />
        {demo.isThere && <DemoNote demo={demo} />}
      </div>
      <div className={styles.aside}>
        <NeedsAPerson stale={data.allStale} />
        <Moved data={data} range={range} />
        <ActiveAgents data={data} range={range} />
      </div>
    </div>
  );
}

type DemoProps = { demo: ReturnType<typeof useDemo> };

function DemoNote({ demo: { remove, isRemoving, error } }: DemoProps) {
  return (
    <div className={styles.demo}>
      <span className="grow third">{overview.empty.demoShown}</span>
      <Button kind="quiet" onClick={startTour}>
        {commands.tour}
      </Button>
      <Button busy={isRemoving} onClick={() => void remove()}>
        {overview.empty.removeDemo}
      </Button>
      {error !== undefined && <ErrorState error={error} isAction />}
    </div>
  );
}

function Title({ data, range, onRange }: { data: Overview; range: Range; onRange: (range: Range) => void }) {
  const { state } = useLiveStatus();
  const isPaused = state === 'paused';
  return (
    <div className={styles.title}>
      <div className={styles.titleLine}>
        <h1 className="grow">{overview.title}</h1>
        <Segmented label={overview.range} value={range} choices={CHOICES} onChange={onRange} />
        <span className="wide-only">
          <Button icon={isPaused ? 'play' : 'pause'} onClick={toggleLive} disabled={state === 'off'}>
            {isPaused ? shell.live.resume : shell.live.pause}
          </Button>
        </span>
        <CopyAs call={{ name: 'series.read', input: { unit: data.stretch.unit, since: data.stretch.since } }} short />
      </div>
      <div data-tour="figures">
        <OverviewFigures data={data} range={range} />
      </div>
    </div>
  );
}

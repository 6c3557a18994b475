import { isFailure } from '../../data/events.ts';
import { confidence, number } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { type FigureProps, Figures } from '../../ui/marks.tsx';
import { movementsOf, type Overview, outcomeCounts, totalOf } from './overview-data.ts';
import type { Range } from './ranges.ts';

const texts = overview.figures;
const shown = (n: number | undefined): string => (n === undefined ? texts.none : number(n));

export function OverviewFigures({ data, range }: { data: Overview; range: Range }) {
  return (
    <Figures
      figures={[
        entriesFigure(data, range),
        agentsFigure(data),
        outcomesFigure(data, range),
        confidenceFigure(data, range),
        staleFigure(data),
      ]}
    />
  );
}

function entriesFigure({ stats, series }: Overview, range: Range): FigureProps {
  const note = series.data && texts.written(totalOf(series.data, ['write']), overview.inRange[range]);
  return { label: texts.entries, value: shown(stats.data?.total_entries), note };
}

function agentsFigure({ agents, stats, stretch: { since } }: Overview): FigureProps {
  const all = agents.data?.agents;
  const active = all?.filter(({ last_active }) => last_active !== null && last_active >= since).length;
  const fresh = all?.filter(({ created_at }) => created_at >= since).length;
  return {
    label: texts.agents,
    value: shown(active),
    of: all && texts.agentsOf(agents.data?.has_more ? (stats.data?.total_agents ?? all.length) : all.length),
    note: fresh === undefined ? undefined : texts.agentsNew(fresh),
  };
}

function outcomesFigure({ outcomes, series }: Overview, range: Range): FigureProps {
  if (!series.data || !outcomes.data) return { label: texts.outcomes, value: texts.none };
  const { total, failed, is_part } = outcomeCounts(series.data, outcomes.data);
  const note = (
    <>
      <span className="good">{texts.succeeded(total - failed)}</span>,{' '}
      <span className={failed > 0 ? 'bad' : undefined}>{texts.failed(failed)}</span>
      {is_part && ` ${texts.newest(total)}`}
    </>
  );
  const value = is_part ? `${number(total)}+` : number(total);
  return { label: texts.outcomes, value, note: total === 0 ? texts.noOutcome(overview.inRange[range]) : note };
}

function confidenceFigure({ stats, outcomes }: Overview, range: Range): FigureProps {
  const average = stats.data?.confidence_avg;
  const moved = movementsOf(outcomes.data?.outcomes ?? []);
  const up = moved.filter(({ before, after }) => after > before).length;
  const upDown = texts.movedUpDown(up, moved.length - up);
  const ofNewest = outcomes.data?.has_more ? ` ${texts.movedNewest(outcomes.data.outcomes.length)}` : '';
  const note = moved.length === 0 ? texts.unmoved(overview.inRange[range]) : upDown + ofNewest;
  return {
    label: texts.confidence,
    hint: texts.confidenceHint,
    value: typeof average === 'number' ? confidence(average) : texts.none,
    note: outcomes.data && note,
  };
}

function staleFigure({ staleReads }: Overview): FigureProps {
  const reads = staleReads.data?.stale_reads;
  const failed = reads?.filter(({ outcome_type }) => isFailure(outcome_type)).length;
  const more = staleReads.data?.has_more ? '+' : '';
  return {
    label: texts.stale,
    hint: texts.staleHint,
    value: `${shown(reads?.length)}${more}`,
    note: failed === undefined || reads?.length === 0 ? undefined : texts.staleFailed(failed),
  };
}

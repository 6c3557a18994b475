import { isFailure } from '../../data/events.ts';
import { newestFirst } from '../../data/newest-first.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { overview } from '../../texts/overview.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './overview.module.css';
import { type Overview, type OverviewOutcome, totalOf } from './overview-data.ts';
import type { Range, TimeSpan } from './ranges.ts';

const texts = overview.agents;
const MOST = 6;

/** Who was active, the last first. */
export function ActiveAgents({ data, range }: { data: Overview; range: Range }) {
  const { agents, outcomes, stretch } = data;
  return (
    <Section title={texts.title(overview.lastOf[range])} className={styles.after}>
      <Loaded answer={agents} call={{ name: 'agents.list', input: {} }}>
        {({ agents: listed }) => {
          const active = listed
            .filter(({ last_active }) => last_active !== null && last_active >= stretch.since)
            .sort((a, b) => newestFirst(String(a.last_active), String(b.last_active)))
            .slice(0, MOST);
          if (active.length === 0) return <p className="third">{texts.nothing(overview.inRange[range])}</p>;
          return (
            <ul className={styles.list}>
              {active.map(({ agent_id }) => (
                <AgentLine key={agent_id} agent={agent_id} stretch={stretch} outcomes={outcomes.data?.outcomes ?? []} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

type LineProps = { agent: string; stretch: TimeSpan; outcomes: readonly OverviewOutcome[] };

function AgentLine({ agent, stretch: { unit, since }, outcomes }: LineProps) {
  const input = { unit, since, agent_id: agent, types: ['write', 'outcome'] };
  const series = useOperation('series.read', input, { isLater: true });
  const failed = outcomes.filter(({ agent_id, outcome_type }) => agent_id === agent && isFailure(outcome_type)).length;
  return (
    <li className={styles.agent}>
      <a className="cut" href={hrefOf('agents', agent)}>
        {agent}
      </a>
      <span className="third small">{series.data && texts.writes(totalOf(series.data, ['write']))}</span>
      <span className="third small">{series.data && texts.outcomes(totalOf(series.data, ['outcome']))}</span>
      <span className={`small ${failed > 0 ? 'bad' : 'third'}`}>{texts.failed(failed)}</span>
    </li>
  );
}

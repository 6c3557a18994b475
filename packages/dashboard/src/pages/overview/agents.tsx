import type { Output } from '../../data/client.ts';
import { newestFirst } from '../../data/newest-first.ts';
import { useOperation } from '../../data/query.ts';
import { DASHBOARD_AGENT } from '../../data/service-url.ts';
import { hrefOf } from '../../router/address.ts';
import { overview } from '../../texts/overview.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './overview.module.css';
import { type Overview, outcomeCounts, totalOf } from './overview-data.ts';
import type { Range, TimeSpan } from './ranges.ts';

const texts = overview.agents;
const MOST = 6;

/** As whom people look at memory, here and on a command line. */
const PEOPLE: readonly string[] = [DASHBOARD_AGENT, 'cli'];

/** What somebody only looked at says nothing about agents. */
const onlyLooked = ({ agent_id, entries_written }: Output<'agents.list'>['agents'][number]): number =>
  Number(PEOPLE.includes(agent_id) && entries_written === 0);

/** Who was active, the last first; those as whom people look come after all others. */
export function ActiveAgents({ data, range }: { data: Overview; range: Range }) {
  const { agents, outcomes, stretch } = data;
  return (
    <Section title={texts.title(overview.lastOf[range])} className={styles.after}>
      <Loaded answer={agents} call={{ name: 'agents.list', input: {} }}>
        {({ agents: listed }) => {
          const active = listed
            .filter(({ last_active }) => last_active !== null && last_active >= stretch.since)
            .sort((a, b) => onlyLooked(a) - onlyLooked(b) || newestFirst(String(a.last_active), String(b.last_active)))
            .slice(0, MOST);
          if (active.length === 0) return <p className="third">{texts.nothing(overview.inRange[range])}</p>;
          return (
            <ul className={styles.list}>
              {active.map(({ agent_id }) => (
                <AgentLine key={agent_id} agent={agent_id} stretch={stretch} outcomes={outcomes.data} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

type LineProps = { agent: string; stretch: TimeSpan; outcomes: Overview['outcomes']['data'] };

function AgentLine({ agent, stretch: { unit, since }, outcomes }: LineProps) {
  const input = { unit, since, agent_id: agent, types: ['write', 'outcome'] };
  const series = useOperation('series.read', input, { isLater: true });
  const own = outcomes && { ...outcomes, outcomes: outcomes.outcomes.filter(({ agent_id }) => agent_id === agent) };
  const { total, failed } = outcomeCounts(series.data, own);
  return (
    <li className={styles.agent}>
      <a className="cut" href={hrefOf('agents', agent)}>
        {agent}
      </a>
      <span className="third small">{series.data && texts.writes(totalOf(series.data, ['write']))}</span>
      <span className="third small">{series.data && texts.outcomes(total)}</span>
      <span className={`small ${failed > 0 ? 'bad' : 'third'}`}>{series.data && texts.failed(failed)}</span>
    </li>
  );
}

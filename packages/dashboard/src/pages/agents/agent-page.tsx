import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useRefreshOnEvents } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { agents } from '../../texts/agents.ts';
import { ago, day, fullTimeOf, number } from '../../texts/format.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Figures, Tag } from '../../ui/marks.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { AgentActivity } from './activity.tsx';
import styles from './agents.module.css';
import { Calibration } from './calibration.tsx';
import { Contracts } from './contracts.tsx';
import { idOf } from './graph/model.ts';
import { Reads } from './reads.tsx';

type Profile = Output<'agents.profile'>;
const texts = agents.profile;

/** One agent: what it is, what it did, what it keeps to, and how far its word holds. */
export function AgentPage({ agent }: { agent: string }) {
  useCrumbs([{ label: agents.title, href: hrefOf('agents') }, { label: agent }]);
  const input = { agent_id: agent };
  const profile = useOperation('agents.profile', input);
  useRefreshOnEvents(
    ['agents.profile', 'agents.timeline', 'series.read'],
    ({ agent_id, actor_agent_id }) => agent_id === agent || actor_agent_id === agent,
  );
  return (
    <Loaded answer={profile} rows={8} call={{ name: 'agents.profile', input }}>
      {(data) =>
        data.created_at === null && data.updated_at === null ? <Unknown agent={agent} /> : <Known profile={data} />
      }
    </Loaded>
  );
}

function Unknown({ agent }: { agent: string }) {
  return (
    <div className={styles.note}>
      <h1>{agent}</h1>
      <EmptyState
        title={texts.missing}
        actions={<ButtonLink href={hrefOf('agents')}>{agents.views.directory}</ButtonLink>}
      >
        <p className="second">{texts.missingHint}</p>
      </EmptyState>
    </div>
  );
}

function Known({ profile }: { profile: Profile }) {
  const { agent_id: agent, description, contracts } = profile;
  return (
    <div className={styles.page}>
      <div>
        <div className={styles.head}>
          <div className={styles.headLine}>
            <div className="grow">
              <h1>{agent}</h1>
              <p className="second prose">{description ?? texts.undescribed}</p>
            </div>
            <ButtonLink href={hrefOf('agents', '', { view: 'graph', selected: idOf('agent', agent) })}>
              {agents.views.graph}
            </ButtonLink>
            <ButtonLink href={hrefOf('timeline', '', { agent })}>{texts.timeline}</ButtonLink>
            <CopyAs call={{ name: 'agents.profile', input: { agent_id: agent } }} />
          </div>
          <ProfileFigures profile={profile} />
        </div>
        <AgentActivity agent={agent} />
      </div>
      <div className={styles.aside}>
        <Calibration agent={agent} />
        <Reads agent={agent} />
        <Contracts agent={agent} contracts={contracts} editable />
        <Capabilities profile={profile} />
        <About profile={profile} />
      </div>
    </div>
  );
}

function ProfileFigures({ profile }: { profile: Profile }) {
  const now = useNow();
  const { entries_written, entities_touched, entities_truncated, last_active, created_at } = profile;
  const { figures } = texts;
  return (
    <Figures
      figures={[
        { label: figures.entries, value: number(entries_written), note: figures.current },
        {
          label: figures.paths,
          value: number(entities_touched),
          note: entities_truncated ? figures.pathsTruncated : '',
        },
        {
          label: figures.active,
          value: last_active === null ? texts.never : ago(last_active, now),
          note: last_active === null ? '' : fullTimeOf(last_active),
        },
        {
          label: figures.since,
          value: created_at === null ? texts.never : day(created_at),
          note: created_at === null ? '' : fullTimeOf(created_at),
        },
      ]}
    />
  );
}

function Capabilities({ profile: { capabilities } }: { profile: Profile }) {
  if (capabilities.length === 0) return null;
  return (
    <Section title={agents.capabilities.title} note={number(capabilities.length)}>
      <ul className={styles.rules}>
        {capabilities.map(({ name, description = '', entity_paths = [] }) => (
          <li key={name} className={styles.rule}>
            <div className="strong">{name}</div>
            {description !== '' && <p className="second small">{description}</p>}
            <p className="third small mono">
              {entity_paths.length === 0 ? agents.capabilities.everywhere : entity_paths.join(', ')}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function About({ profile: { platform, tags, default_branch, auto_context_paths } }: { profile: Profile }) {
  const facts: Fact[] = [
    ...(platform === null ? [] : [{ name: texts.platform, value: platform }]),
    ...(default_branch === null ? [] : [{ name: texts.branch, value: <span className="mono">{default_branch}</span> }]),
    ...(auto_context_paths.length === 0
      ? []
      : [{ name: texts.context, value: <span className="mono">{auto_context_paths.join(', ')}</span> }]),
    ...(tags.length === 0
      ? []
      : [
          {
            name: texts.tags,
            value: (
              <span className="line">
                {tags.map((tag) => (
                  <Tag key={tag}>{tag}</Tag>
                ))}
              </span>
            ),
          },
        ]),
  ];
  if (facts.length === 0) return null;
  return (
    <Section title={texts.about}>
      <Facts facts={facts} />
    </Section>
  );
}

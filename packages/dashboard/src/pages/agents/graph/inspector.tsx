import type { Output } from '../../../data/client.ts';
import { isFailure } from '../../../data/events.ts';
import { useOperation } from '../../../data/query.ts';
import { useNow } from '../../../data/use-now.ts';
import { hrefOf } from '../../../router/address.ts';
import { agents } from '../../../texts/agents.ts';
import { ago, fullTimeOf, number } from '../../../texts/format.ts';
import { graph as texts } from '../../../texts/graph.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Delta, EntryName } from '../../../ui/marks.tsx';
import { Section } from '../../../ui/section.tsx';
import { Loaded } from '../../../ui/states.tsx';
import styles from '../agents.module.css';
import { Calibration } from '../calibration.tsx';
import { Contracts } from '../contracts.tsx';
import { CountedList } from '../counted-list.tsx';
import { Reads } from '../reads.tsx';
import { connectionsOf, countOf, type MapModel, type MapNode } from './model.ts';

const MOST = 8;

type InspectorProps = { model: MapModel; selected: string; onSelect: (id: string | undefined) => void };

/** What is known about the selected thing; about everything where nothing is selected. */
export function Inspector({ model, selected }: InspectorProps) {
  const index = model.indexOf.get(selected);
  const node = index === undefined ? undefined : model.nodes[index];
  if (node?.kind === 'agent') return <SelectedAgent key={node.id} agent={node.name} />;
  if (index !== undefined && node?.kind === 'entity') return <SelectedPath model={model} index={index} node={node} />;
  if (index !== undefined && node) return <SelectedOutcome key={node.id} model={model} index={index} node={node} />;
  return <Everything model={model} />;
}

type HeadFigure = readonly [label: string, value: string, title?: string];
type HeadProps = {
  name: string;
  isMono?: boolean;
  note?: string | undefined;
  href?: string;
  open?: string;
  figures: readonly HeadFigure[];
};

function Head({ name, isMono = false, note, href, open = agents.profile.open, figures }: HeadProps) {
  return (
    <div className={styles.head}>
      <div className="line">
        <div className="grow">
          <h2 className={isMono ? `${styles.name} mono` : styles.name}>{name}</h2>
          {note !== undefined && <p className="second small">{note}</p>}
        </div>
        {href !== undefined && <ButtonLink href={href}>{open}</ButtonLink>}
      </div>
      <dl className={styles.figures}>
        {figures.map(([label, value, title]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd title={title}>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Everything({ model }: { model: MapModel }) {
  const heaviest = model.nodes
    .filter(({ kind }) => kind === 'agent')
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST);
  return (
    <>
      <Head
        name={texts.everything}
        note={texts.everythingHint}
        figures={[
          [texts.figures.agents, number(countOf(model, 'agent'))],
          [texts.figures.paths, number(countOf(model, 'entity'))],
          [texts.figures.outcomes, number(countOf(model, 'outcome'))],
        ]}
      />
      <Calibration />
      <Section title={texts.heaviest}>
        <CountedList items={heaviest.map((node) => itemOf(node, node.weight))} />
      </Section>
    </>
  );
}

/** Leads to the same graph with that thing selected. */
const itemOf = ({ id, name, kind }: MapNode, count: number) => ({
  id,
  label: name,
  href: hrefOf('agents', '', { view: 'graph', selected: id }),
  count,
  isMono: kind !== 'agent',
});

function SelectedAgent({ agent }: { agent: string }) {
  const input = { agent_id: agent };
  const profile = useOperation('agents.profile', input, { keepPrevious: false });
  const now = useNow();
  return (
    <>
      <Loaded answer={profile} call={{ name: 'agents.profile', input }}>
        {({ description, entries_written, entities_touched, last_active }) => (
          <Head
            name={agent}
            note={description ?? undefined}
            href={hrefOf('agents', agent)}
            figures={[
              [agents.profile.figures.entries, number(entries_written)],
              [agents.profile.figures.paths, number(entities_touched)],
              [
                agents.profile.figures.active,
                last_active === null ? agents.profile.never : ago(last_active, now),
                last_active === null ? '' : fullTimeOf(last_active),
              ],
            ]}
          />
        )}
      </Loaded>
      <Calibration agent={agent} />
      <Reads agent={agent} brief />
      {profile.data && <Contracts agent={agent} contracts={profile.data.contracts} />}
    </>
  );
}

type NodeProps = { model: MapModel; index: number; node: MapNode };

function SelectedPath({ model, index, node }: NodeProps) {
  const now = useNow();
  return (
    <>
      <Head
        name={node.name}
        isMono
        href={hrefOf('memory', node.name)}
        open={texts.openMemory}
        figures={[
          [texts.writtenBy, number(connectionsOf(model, index, 'wrote').length)],
          [texts.readBy, number(connectionsOf(model, index, 'read').length)],
          [texts.lastSeen, ago(node.lastSeen, now), fullTimeOf(node.lastSeen)],
        ]}
      />
      <Connections model={model} index={index} title={texts.writtenBy} relation="wrote" />
      <Connections model={model} index={index} title={texts.readBy} relation="read" />
      <Connections model={model} index={index} title={texts.ledTo} relation="informed" />
    </>
  );
}

type ConnectionsProps = { model: MapModel; index: number; title: string; relation: string };

function Connections({ model, index, title, relation }: ConnectionsProps) {
  const found = connectionsOf(model, index, relation);
  if (found.length === 0) return null;
  return (
    <Section title={title} note={number(found.length)}>
      <CountedList items={found.slice(0, MOST).map(({ node, weight }) => itemOf(node, weight))} />
    </Section>
  );
}

type ListedOutcome = Output<'outcomes.list'>['outcomes'][number];

function SelectedOutcome({ model, index, node }: NodeProps) {
  const input = { outcome_ref: node.name, limit: 5 };
  const answer = useOperation('outcomes.list', input, { keepPrevious: false });
  const newest = answer.data?.outcomes[0];
  const now = useNow();
  return (
    <>
      <Head
        name={node.name}
        isMono
        note={newest?.outcome_type}
        href={hrefOf('traces', '', { outcome_ref: node.name })}
        open={texts.openTraces}
        figures={[[texts.lastSeen, ago(node.lastSeen, now), fullTimeOf(node.lastSeen)]]}
      />
      <Connections model={model} index={index} title={texts.committedBy} relation="committed" />
      <Connections model={model} index={index} title={texts.informedBy} relation="informed" />
      <Section title={texts.moved}>
        <Loaded answer={answer} call={{ name: 'outcomes.list', input }}>
          {({ outcomes }) => <Moved outcomes={outcomes} />}
        </Loaded>
      </Section>
    </>
  );
}

function Moved({ outcomes }: { outcomes: readonly ListedOutcome[] }) {
  if (outcomes.length === 0) return <p className="third">{texts.noDetails}</p>;
  const moved = outcomes.flatMap(({ outcome_id, outcome_type, entries }) =>
    entries
      .filter(({ applied }) => applied)
      .map((entry) => ({
        ...entry,
        id: `${outcome_id}-${entry.entity_path}/${entry.key}`,
        isBad: isFailure(outcome_type),
      })),
  );
  if (moved.length === 0) return <p className="third">{texts.movedNothing}</p>;
  return (
    <ul className={styles.rules}>
      {moved.slice(0, MOST).map(({ id, entity_path, key, confidence_before, confidence_after, why }) => (
        <li key={id} className={styles.rule}>
          <div className="line">
            <a className="grow cut" href={hrefOf('memory', entity_path, { key })}>
              <EntryName path={entity_path} name={key} />
            </a>
            {confidence_after !== null && <Delta before={confidence_before} after={confidence_after} />}
          </div>
          <p className="third small">{why}</p>
        </li>
      ))}
    </ul>
  );
}

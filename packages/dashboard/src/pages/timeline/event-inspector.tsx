import { type FeedEvent, SERVICE_AGENT } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { eventNameOf, eventTexts } from '../../texts/events.ts';
import { fullTimeOf } from '../../texts/format.ts';
import { timeline } from '../../texts/timeline.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { nameOfThing, placeOfThing } from '../../ui/event-things.ts';
import { Inspector } from '../../ui/inspector.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Confidence, EntryName } from '../../ui/marks.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './timeline.module.css';

const texts = timeline.inspector;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One event of the log, and where it leads. */
export function EventInspector({ seq, onClose }: { seq: number; onClose: () => void }) {
  const input = { after: seq - 1, limit: 1 };
  const answer = useOperation('log.list', input, { keepPrevious: false });
  const event = answer.data?.events.find((one) => one.seq === seq);
  const name = event === undefined ? '' : eventNameOf(event);
  return (
    <Inspector label={texts.label(name, seq)} title={name} onClose={onClose}>
      <Loaded answer={answer} call={{ name: 'log.list', input }}>
        {() => (event ? <EventDetails event={event} /> : <p className="third">{texts.gone}</p>)}
      </Loaded>
    </Inspector>
  );
}

function EventDetails({ event }: { event: FeedEvent }) {
  const { details } = event;
  const commit = text(details.commit_id);
  return (
    <>
      <Facts facts={factsOf(event)} />
      <Links event={event} />
      {commit !== '' && <CommitEntries commitId={commit} />}
      <div className={styles.part}>
        <h3>{texts.details}</h3>
        <JsonTree label={texts.details} value={details} />
      </div>
    </>
  );
}

const agentLink = (agent: string) => (
  <a className="link" href={hrefOf('agents', agent)}>
    {agent}
  </a>
);

function factsOf(event: FeedEvent): Fact[] {
  const { created_at, agent_id, actor_agent_id, branch, entity_path, key, version, seq, details } = event;
  const facts: Fact[] = [
    { name: texts.time, value: <time dateTime={created_at}>{fullTimeOf(created_at)}</time> },
    { name: texts.agent, value: agentLink(agent_id) },
  ];
  if (actor_agent_id !== undefined && actor_agent_id !== agent_id)
    facts.push({
      name: texts.by,
      value: actor_agent_id === SERVICE_AGENT ? eventTexts.service : agentLink(actor_agent_id),
    });
  if (entity_path !== null && key !== null)
    facts.push({ name: texts.entry, value: <EntryName path={entity_path} name={key} /> });
  if (version !== null) facts.push({ name: texts.version, value: `v${version}` });
  if (typeof details.confidence === 'number')
    facts.push({ name: timeline.confidence, value: <Confidence value={details.confidence} /> });
  facts.push({ name: texts.branch, value: branch }, { name: texts.place, value: seq });
  facts.push({ name: texts.type, value: <code>{event.event_type}</code> });
  return facts;
}

function Links({ event }: { event: FeedEvent }) {
  const { entity_path, key, details, branch, event_type } = event;
  const place = placeOfThing(event);
  const trace = text(details.trace_id);
  const ref = text(details.outcome_ref);
  const isOfBranch = branch !== 'main' || event_type.startsWith('branch_');
  return (
    <div className={styles.buttons}>
      {entity_path !== null && key !== null && (
        <ButtonLink href={hrefOf('memory', entity_path, { key })}>{texts.openEntry}</ButtonLink>
      )}
      {trace !== '' && <ButtonLink href={hrefOf('traces', trace)}>{texts.openTrace}</ButtonLink>}
      {trace === '' && ref !== '' && (
        <ButtonLink href={hrefOf('traces', '', { outcome_ref: ref })}>{texts.openTraces}</ButtonLink>
      )}
      {place !== undefined && <ButtonLink href={place}>{texts.openThing(nameOfThing(event))}</ButtonLink>}
      {isOfBranch && <ButtonLink href={hrefOf('branches', branch)}>{texts.openBranch}</ButtonLink>}
    </div>
  );
}

function CommitEntries({ commitId }: { commitId: string }) {
  const input = { commit_id: commitId };
  const answer = useOperation('commits.read', input, { keepPrevious: false });
  return (
    <div className={styles.part}>
      <h3>
        {texts.commit} <span className="mono third">{commitId}</span>
      </h3>
      <Loaded answer={answer} call={{ name: 'commits.read', input }}>
        {({ message, entries, entries_written }) => (
          <>
            {message !== '' && <p className="second">{message}</p>}
            <p className="third small">{texts.wrote(entries_written)}</p>
            <ul className={styles.part}>
              {entries.slice(0, MOST_ENTRIES).map((entry) => (
                <li key={`${entry.entity_path}/${entry.key}-${entry.version}`} className="line">
                  <a className="cut" href={hrefOf('memory', entry.entity_path, { key: entry.key })}>
                    <EntryName path={entry.entity_path} name={entry.key} />
                  </a>
                  <span className="third small">v{entry.version}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </div>
  );
}

const MOST_ENTRIES = 50;

import type { CopiedCall } from '../../data/copy-as.ts';
import { useInstalled } from '../../data/installed.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { fixes } from '../../texts/fixes.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { investigation } from '../../texts/investigation.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import { BehaviorLink, JudgeLink } from './evaluation-marks.tsx';
import { INCIDENT_ANSWERS, INCIDENT_TONES, incidentTitle, type WholeIncident } from './incident-data.ts';
import { IncidentFigures } from './incident-figures.tsx';
import { IncidentTimeline, IncidentTraces } from './incident-timeline.tsx';
import { INVESTIGATIONS } from './may-ask.ts';
import { useSourceName, useSourceNames } from './source-names.ts';
import { Suspects } from './suspects.tsx';
import { useProposal } from './use-proposal.ts';

const HOUR_MS = 3_600_000;
const MUTES = [
  { id: 'hour', ms: HOUR_MS },
  { id: 'day', ms: 24 * HOUR_MS },
  { id: 'week', ms: 7 * 24 * HOUR_MS },
] as const;

/** One incident: why it was opened, which traces failed, and which memory is behind it. */
export function IncidentPage({ incidentId }: { incidentId: string }) {
  const input = { incident_id: incidentId };
  const call = { name: 'incidents.read', input } as const;
  const answer = useOperation('incidents.read', input);
  const nameOf = useSourceNames();
  useCrumbs([
    { label: texts.title, href: hrefOf('incidents') },
    {
      label: answer.data
        ? incidentTitle(answer.data, nameOf(answer.data.source_kind, answer.data.source_id))
        : incidentId,
    },
  ]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={10} call={call}>
        {(incident) => <ShownIncident incident={incident} call={call} />}
      </Loaded>
    </div>
  );
}

function ShownIncident({ incident, call }: { incident: WholeIncident; call: CopiedCall }) {
  const { status, reason, source_kind, source_id } = incident;
  const source = useSourceName(source_kind, source_id);
  const { error: actionError, acknowledge, resolve, mutes } = useIncidentActions(incident);
  const { mayFix, propose, error: fixError } = useProposal({ incident_id: incident.incident_id });
  const question = useQuestion(incident, source);
  const error = actionError ?? fixError;
  useCommands([
    ...(status === 'open'
      ? [{ id: 'acknowledge', label: texts.acknowledge, keys: 'a', group: 'page', run: acknowledge } as const]
      : []),
  ]);
  return (
    <>
      <div className={styles.head}>
        <div className={styles.headLine}>
          <h1>{incidentTitle(incident, source)}</h1>
          <Tag tone={INCIDENT_TONES[status]}>{texts.statusOf[status]}</Tag>
          <span className="grow" />
          {status === 'open' && (
            <Button kind="ink" onClick={acknowledge}>
              {texts.acknowledge}
            </Button>
          )}
          {status !== 'resolved' && <Button onClick={resolve}>{texts.resolve}</Button>}
          {question !== undefined && (
            <ButtonLink href={hrefOf('investigation', '', question)}>{investigation.investigate}</ButtonLink>
          )}
          {mayFix && <Button onClick={propose}>{fixes.propose}</Button>}
          <Menu label={texts.mute} items={mutes}>
            {texts.mute}
          </Menu>
          <CopyAs call={call} />
        </div>
        <p className="second prose">{reason}</p>
        {error !== null && <ErrorState error={error} isAction />}
      </div>
      <div className={styles.split}>
        <div>
          <IncidentFigures incident={incident} />
          <Suspects of={failuresOf(incident)} />
          <IncidentTraces incident={incident} />
        </div>
        <div className={styles.aside}>
          <Section title={texts.about}>
            <Facts facts={factsOf(incident)} />
          </Section>
          <IncidentTimeline incident={incident} />
        </div>
      </div>
    </>
  );
}

/** What to ask about it, where the module answers; a question is about one agent. */
function useQuestion({ source_kind, source_id, agent_id, traces }: WholeIncident, source: string) {
  const mayAsk = useInstalled([INVESTIGATIONS]).get(INVESTIGATIONS.name) === true;
  const agent = agent_id ?? traces[0]?.agent_id;
  if (!mayAsk || agent === undefined) return undefined;
  return {
    agent,
    question: investigation.aboutIncident[source_kind](source, agent),
    ...(source_kind === 'judge' ? { judge: source_id } : {}),
    ...(traces[0] ? { trace: traces[0].trace_id } : {}),
  };
}

const failuresOf = ({ source_kind, source_id, agent_id }: WholeIncident) => ({
  ...(source_kind === 'judge' ? { judge_id: source_id } : { behavior_id: source_id }),
  ...(agent_id === null ? {} : { agent_id }),
});

/** They are about the whole group, as the list shows it. */
function useIncidentActions({ incident_id, status }: WholeIncident) {
  const now = useNow();
  const group = { incident_id, whole_group: true };
  const acknowledge = useAction('incidents.acknowledge', {
    changes: INCIDENT_ANSWERS,
    onDone: () => showToast(texts.acknowledged),
  });
  const resolve = useAction('incidents.resolve', {
    changes: INCIDENT_ANSWERS,
    onDone: () => showToast(texts.resolved),
  });
  const mute = useAction('incidents.mute', {
    changes: INCIDENT_ANSWERS,
    onDone: ({ muted_until }) => showToast(muted_until === null ? texts.unmuted : texts.muted),
  });
  const muteFor = (ms: number) => mute.mutate({ ...group, until: new Date(now + ms).toISOString() });
  const mutes = [
    ...MUTES.map(({ id, ms }) => ({ id, label: texts.mutes[id], onSelect: () => muteFor(ms) })),
    ...(status === 'muted'
      ? [{ id: 'unmute', label: texts.unmute, onSelect: () => mute.mutate({ ...group, until: null }) }]
      : []),
  ];
  return {
    error: acknowledge.error ?? resolve.error ?? mute.error,
    acknowledge: () => acknowledge.mutate(group),
    resolve: () => resolve.mutate(group),
    mutes,
  };
}

const timeOf = (at: string) => (
  <time dateTime={at} title={fullTimeOf(at)}>
    {dayAndTime(at)}
  </time>
);

/** The other incidents of its group. */
function Related({ incident: { related } }: { incident: WholeIncident }) {
  const nameOf = useSourceNames();
  return related.map((other) => (
    <div key={other.incident_id}>
      <a className="link" href={hrefOf('incidents', other.incident_id)}>
        {incidentTitle(other, nameOf(other.source_kind, other.source_id))}
      </a>
    </div>
  ));
}

function factsOf(incident: WholeIncident): Fact[] {
  const { facts } = texts;
  const { source_kind, source_id, agent_id, branch, opened_at, last_failed_at, muted_until, chance, related } =
    incident;
  return [
    {
      name: facts.source,
      value: (
        <>
          {texts.kinds[source_kind]}{' '}
          {source_kind === 'judge' ? (
            <JudgeLink className="link" id={source_id} />
          ) : (
            <BehaviorLink className="link" id={source_id} />
          )}
        </>
      ),
    },
    {
      name: facts.agent,
      value:
        agent_id === null ? (
          texts.several
        ) : (
          <a className="link" href={hrefOf('agents', agent_id)}>
            {agent_id}
          </a>
        ),
    },
    { name: facts.branch, value: branch },
    ...(related.length === 0 ? [] : [{ name: facts.related, value: <Related incident={incident} /> }]),
    ...(chance === null ? [] : [{ name: texts.chance, value: texts.oneIn(chance) }]),
    { name: facts.opened, value: timeOf(opened_at) },
    { name: facts.last, value: timeOf(last_failed_at) },
    ...(muted_until === null ? [] : [{ name: facts.mutedUntil, value: timeOf(muted_until) }]),
  ];
}

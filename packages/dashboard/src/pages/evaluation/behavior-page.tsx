import type { OperationName, Output } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { behaviors as texts } from '../../texts/failures.ts';
import { fixes } from '../../texts/fixes.ts';
import { ago, dayAndTime, fullTimeOf, money, number } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { comparable } from '../../ui/diff.tsx';
import { Tag } from '../../ui/marks.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import type { ListedBehavior } from './behavior-list.tsx';
import evaluationStyles from './evaluation.module.css';
import { targetOf } from './evaluation-data.ts';
import { TraceLink } from './evaluation-marks.tsx';
import { STATUS_TONES } from './judge-list.tsx';
import { useProposal } from './use-proposal.ts';

type BlastRadius = Output<'behaviors.blast_radius'>;
type MatchedTrace = Output<'behaviors.list_traces'>['traces'][number];

/** One behavior: what it is, how far it reaches, and the traces with it. */
export function BehaviorPage({ behaviorId, changes }: { behaviorId: string; changes: readonly OperationName[] }) {
  const input = { behavior_id: behaviorId };
  const call = { name: 'behaviors.read', input } as const;
  const answer = useOperation('behaviors.read', input);
  useCrumbs([{ label: texts.title, href: hrefOf('behaviors') }, { label: answer.data?.name ?? behaviorId }]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={10} call={call}>
        {(behavior) => <ShownBehavior behavior={behavior} call={call} changes={changes} />}
      </Loaded>
    </div>
  );
}

type ShownBehaviorProps = { behavior: ListedBehavior; call: CopiedCall; changes: readonly OperationName[] };

function ShownBehavior({ behavior, call, changes }: ShownBehaviorProps) {
  const { behavior_id, name, description, status, matcher } = behavior;
  const update = useAction('behaviors.update', { changes, onDone: () => showToast(texts.activated(name)) });
  const archive = useAction('behaviors.delete', { changes, onDone: () => showToast(texts.archived(name)) });
  const { mayFix, propose, error: fixError } = useProposal({ behavior_id });
  const error = update.error ?? archive.error ?? fixError;
  return (
    <>
      <div className={styles.head}>
        <div className={styles.headLine}>
          <h1>{name}</h1>
          <Tag tone={STATUS_TONES[status]}>{texts.statusOf[status]}</Tag>
          <span className="grow" />
          {mayFix && <Button onClick={propose}>{fixes.propose}</Button>}
          {status === 'active' ? (
            <Button onClick={() => archive.mutate({ behavior_id })}>{texts.archive}</Button>
          ) : (
            <Button onClick={() => update.mutate({ behavior_id, status: 'active' })}>{texts.activate}</Button>
          )}
          <CopyAs call={call} />
        </div>
        {description !== '' && <p className="second prose">{description}</p>}
        {error !== null && <ErrorState error={error} isAction />}
      </div>
      <div className={styles.split}>
        <div>
          <Section title={texts.matcher}>
            <Code label={texts.matcher} text={comparable(matcher)} numbered copy json />
          </Section>
          <MatchedTraces behaviorId={behavior_id} />
        </div>
        <div className={styles.aside}>
          <Section title={texts.about}>
            <Facts facts={factsOf(behavior)} />
          </Section>
          <Radius behaviorId={behavior_id} />
        </div>
      </div>
    </>
  );
}

function Radius({ behaviorId }: { behaviorId: string }) {
  const input = { behavior_id: behaviorId };
  const call = { name: 'behaviors.blast_radius', input } as const;
  const answer = useOperation('behaviors.blast_radius', input);
  return (
    <Section
      title={texts.radius}
      note={answer.data && texts.radiusNote(answer.data.matched)}
      actions={<CopyAs call={call} />}
    >
      <Loaded answer={answer} call={call} rows={8}>
        {(radius) => <Facts facts={radiusOf(radius)} />}
      </Loaded>
    </Section>
  );
}

function MatchedTraces({ behaviorId }: { behaviorId: string }) {
  const now = useNow();
  const input = { behavior_id: behaviorId, limit: 20 };
  const call = { name: 'behaviors.list_traces', input } as const;
  const pages = usePages('behaviors.list_traces', input);
  const traces = pages.data?.pages.flatMap((page) => page.traces) ?? [];
  return (
    <Section title={texts.traces} bleed actions={<CopyAs call={call} />}>
      <Loaded answer={pages} call={call} rows={3}>
        {() =>
          traces.length === 0 ? (
            <p className={`${evaluationStyles.none} third`}>{texts.noTraces}</p>
          ) : (
            <Table
              label={texts.traces}
              columns={columnsAt(now)}
              rows={traces}
              keyOf={({ trace_id }) => trace_id}
              onOpen={({ trace_id }) => navigate(hrefOf('traces', trace_id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

const timeOf = (at: string | null) =>
  at === null ? (
    '–'
  ) : (
    <time dateTime={at} title={fullTimeOf(at)}>
      {dayAndTime(at)}
    </time>
  );

const linkTo = (page: string, id: string) => (
  <a className="link" href={hrefOf(page, id)}>
    {id}
  </a>
);

function factsOf(behavior: ListedBehavior): Fact[] {
  const { facts } = texts;
  const { behavior_id, version, trace_id, opens_incidents, agent_id, updated_at } = behavior;
  return [
    { name: facts.id, value: <code>{behavior_id}</code> },
    { name: facts.version, value: texts.version(version) },
    { name: facts.for, value: targetOf(behavior) },
    ...(trace_id === null ? [] : [{ name: facts.example, value: <TraceLink id={trace_id} /> }]),
    { name: facts.incidents, value: opens_incidents ? texts.opens.yes : texts.opens.no },
    { name: facts.by, value: linkTo('agents', agent_id) },
    { name: facts.at, value: timeOf(updated_at) },
  ];
}

function radiusOf(radius: BlastRadius): Fact[] {
  const { radiusFacts: names } = texts;
  const { traces, sessions, agent_count, path_count, fails, cost, first_at, last_at, growth } = radius;
  const shareOf = ({ count, of, rate }: BlastRadius['traces']) => texts.shareOf(count, of, rate);
  return [
    { name: names.share, value: shareOf(traces) },
    { name: names.sessions, value: number(sessions) },
    { name: names.agents, value: number(agent_count) },
    { name: names.paths, value: number(path_count) },
    { name: names.fails, value: shareOf(fails.with_it) },
    { name: names.without, value: shareOf(fails.without_it) },
    { name: names.cost, value: cost.total_usd === null ? texts.unknownCost : money(cost.total_usd) },
    { name: names.first, value: timeOf(first_at) },
    { name: names.last, value: timeOf(last_at) },
    { name: names.growth, value: texts.trends[growth.trend] },
  ];
}

const columnsAt = (now: number): readonly Column<MatchedTrace>[] => [
  {
    ...{ id: 'agent', head: texts.traceColumns.agent, phone: 'name' },
    cell: ({ agent_id }) => (
      <a className="strong" href={hrefOf('agents', agent_id)}>
        {agent_id}
      </a>
    ),
  },
  {
    ...{ id: 'ref', head: texts.traceColumns.ref, phone: 'detail' },
    cell: ({ outcome_ref }) => <span className="mono second">{outcome_ref ?? '–'}</span>,
  },
  {
    ...{ id: 'trace', head: texts.traceColumns.trace, width: 108, phone: 'value' },
    cell: ({ trace_id }) => <TraceLink id={trace_id} />,
  },
  {
    ...{ id: 'outcome', head: texts.traceColumns.outcome, width: 132, phone: 'hide' },
    cell: ({ outcome_type }) => <span className="second">{outcome_type ?? '–'}</span>,
  },
  {
    ...{ id: 'sealed', head: texts.traceColumns.sealed, width: 92, phone: 'time' },
    cell: ({ traced_at }) => (
      <time className="third" dateTime={traced_at} title={fullTimeOf(traced_at)}>
        {ago(traced_at, now)}
      </time>
    ),
  },
];

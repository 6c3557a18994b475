import { useState } from 'react';
import type { OperationName, Output } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { fixes as texts } from '../../texts/fixes.ts';
import { ago, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EntryName, Tag } from '../../ui/marks.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import evaluationStyles from './evaluation.module.css';
import { FixDecision } from './fix-decision.tsx';
import { FIX_TONES } from './fix-list.tsx';

type WholeFix = Output<'fixes.read'>;
type FixedEntry = WholeFix['entries'][number];

/** One fix: what it corrects and why, what a coding agent is given, and whether it helped. */
export function FixPage({ fixId, changes }: { fixId: string; changes: readonly OperationName[] }) {
  const input = { fix_id: fixId };
  const call = { name: 'fixes.read', input } as const;
  const answer = useOperation('fixes.read', input);
  useCrumbs([{ label: texts.title, href: hrefOf('fixes') }, { label: answer.data ? titleOf(answer.data) : fixId }]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={10} call={call}>
        {(fix) => <ShownFix fix={fix} call={call} changes={changes} />}
      </Loaded>
    </div>
  );
}

/** By the first of its entries; what fails without it stands below. */
const titleOf = ({ entries: [first], entry_count }: WholeFix): string =>
  texts.titleOf(first && `${first.entity_path}/${first.key}`, entry_count - 1);

function ShownFix({ fix, call, changes }: { fix: WholeFix; call: CopiedCall; changes: readonly OperationName[] }) {
  const [deciding, setDeciding] = useState<'approve' | 'dismiss'>();
  const { fix_id, branch, status, summary, description, entries, entry_count, replay } = fix;
  return (
    <>
      <div className={styles.head}>
        <div className={styles.headLine}>
          <h1>{titleOf(fix)}</h1>
          <Tag tone={FIX_TONES[status]}>{texts.statusOf[status]}</Tag>
          <span className="grow" />
          {status === 'proposed' && (
            <>
              <Button onClick={() => setDeciding('dismiss')}>{texts.dismiss}</Button>
              <Button kind="ink" onClick={() => setDeciding('approve')}>
                {texts.approve}
              </Button>
            </>
          )}
          <CopyAs call={call} />
        </div>
        <p className="second prose">{summary}</p>
        {description !== '' && <p className="second prose">{description}</p>}
      </div>
      <div className={styles.split}>
        <div>
          <Section title={texts.corrected} bleed>
            <Table
              label={texts.corrected}
              columns={columns}
              rows={entries}
              keyOf={({ entity_path, key }) => `${entity_path}/${key}`}
            />
            {entries.length < entry_count && <p className={`${evaluationStyles.none} third`}>{texts.hidden}</p>}
          </Section>
          <Handover fixId={fix_id} />
        </div>
        <div className={styles.aside}>
          <Section title={texts.about}>
            <Facts facts={factsOf(fix)} />
          </Section>
          <Section title={texts.replay}>
            <p className="second prose">{replay.reason}</p>
          </Section>
          {status === 'approved' && <Prevention fixId={fix_id} />}
          <FixTimeline timeline={fix.timeline} />
        </div>
      </div>
      {deciding && (
        <FixDecision
          fix={{ fix_id, branch }}
          decision={deciding}
          changes={changes}
          onClose={() => setDeciding(undefined)}
        />
      )}
    </>
  );
}

function Handover({ fixId }: { fixId: string }) {
  const input = { fix_id: fixId };
  const call = { name: 'fixes.read_handover', input } as const;
  const answer = useOperation('fixes.read_handover', input);
  return (
    <Section title={texts.handover} note={texts.handoverNote} actions={<CopyAs call={call} />}>
      <Loaded answer={answer} call={call} rows={6}>
        {({ markdown }) => <Code label={texts.handover} text={markdown} copy wrap />}
      </Loaded>
    </Section>
  );
}

function Prevention({ fixId }: { fixId: string }) {
  const input = { fix_id: fixId };
  const call = { name: 'fixes.read_prevention', input } as const;
  const answer = useOperation('fixes.read_prevention', input);
  return (
    <Section title={texts.prevention} actions={<CopyAs call={call} />}>
      <Loaded answer={answer} call={call} rows={3}>
        {(found) => (
          <div className="stack">
            <p className={found.came_back === true ? 'bad' : found.came_back === false ? 'good' : 'second'}>
              {texts.cameBack[found.came_back === null ? 'unknown' : found.came_back ? 'yes' : 'no']}
            </p>
            <p className="second small prose">{found.reason}</p>
            <Facts facts={ratesOf(found)} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

const ratesOf = (found: Output<'fixes.read_prevention'>): Fact[] =>
  (['before', 'after', 'usual'] as const).flatMap((which) => {
    const rate = found[which];
    return rate ? [{ name: texts.rates[which], value: texts.rateOf(rate.count, rate.of, rate.rate) }] : [];
  });

function FixTimeline({ timeline }: { timeline: WholeFix['timeline'] }) {
  const now = useNow();
  return (
    <Section title={texts.timeline}>
      <ol className={evaluationStyles.links}>
        {timeline.map(({ change, agent_id, reason, created_at }) => (
          <li key={`${change}-${created_at}`}>
            <span className="line">
              <span className="strong">{texts.changes[change]}</span>
              <span className="second small">{agent_id}</span>
              <span className="grow" />
              <time className="third small" dateTime={created_at} title={fullTimeOf(created_at)}>
                {ago(created_at, now)}
              </time>
            </span>
            {reason !== '' && <p className="second small prose">{reason}</p>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

const linkTo = (page: string, id: string) => (
  <a className="link" href={hrefOf(page, id)}>
    {id}
  </a>
);

function factsOf({ fix_id, branch, policy, agent_id, decided_by, created_at }: WholeFix): Fact[] {
  const { facts } = texts;
  return [
    { name: facts.id, value: <code>{fix_id}</code> },
    { name: facts.branch, value: linkTo('branches', branch) },
    { name: facts.policy, value: texts.policies[policy] },
    { name: facts.by, value: linkTo('agents', agent_id) },
    {
      name: facts.at,
      value: (
        <time dateTime={created_at} title={fullTimeOf(created_at)}>
          {dayAndTime(created_at)}
        </time>
      ),
    },
    ...(decided_by === null ? [] : [{ name: facts.decided, value: linkTo('agents', decided_by) }]),
  ];
}

const columns: readonly Column<FixedEntry>[] = [
  {
    ...{ id: 'entry', head: texts.entryColumns.entry, phone: 'name' },
    cell: ({ entity_path, key }) => (
      <a href={hrefOf('memory', entity_path, { key })}>
        <EntryName path={entity_path} name={key} />
      </a>
    ),
  },
  {
    ...{ id: 'blamed', head: texts.entryColumns.blamed, width: 84, phone: 'hide' },
    cell: ({ blamed_version }) => <span className="bad">{texts.version(blamed_version)}</span>,
  },
  {
    ...{ id: 'action', head: texts.entryColumns.action, width: 180, phone: 'value' },
    cell: ({ action, restored_version }) => (
      <span className="second">
        {restored_version === null
          ? texts.actions[action]
          : `${texts.actions[action]}, ${texts.version(restored_version)}`}
      </span>
    ),
  },
  {
    ...{ id: 'why', head: texts.entryColumns.why, phone: 'detail' },
    cell: ({ reason }) => (
      <span className="second" title={reason}>
        {reason}
      </span>
    ),
  },
];

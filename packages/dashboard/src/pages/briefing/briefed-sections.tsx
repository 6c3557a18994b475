import type { ReactNode } from 'react';
import { isFailure } from '../../data/events.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { briefing as texts } from '../../texts/briefing.ts';
import { ago, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { Confidence, EntryName, Status, Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { LongValue, shortly } from '../branches/long-value.tsx';
import styles from './briefing.module.css';
import type { BriefedDigest, BriefedItem, WholeBriefing } from './briefing-data.ts';

type SectionName = keyof typeof texts.sections;
/** In the order in which the service gives them room. */
const ORDER = Object.keys(texts.sections) as SectionName[];

/** What the briefing says, section by section, each with why its items are there. */
export function BriefedSections({ briefing, branch }: { briefing: WholeBriefing; branch: string }) {
  const now = useNow();
  const item = (entry: BriefedItem, extra?: ReactNode) => (
    <Briefed key={`${entry.entity_path}/${entry.key}`} entry={entry} branch={branch} now={now} extra={extra} />
  );
  const { last_visit } = briefing;
  const parts: Record<SectionName, { why: string; items: ReactNode[] }> = {
    discredited: {
      why: texts.whySection.discredited,
      items: briefing.discredited.map((entry) => item(entry, <Replaced by={entry.replaced_by} branch={branch} />)),
    },
    validated: { why: texts.whySection.validated, items: briefing.validated.map((entry) => item(entry)) },
    procedures: { why: texts.whySection.procedures, items: briefing.procedures.map((entry) => item(entry)) },
    changed: {
      why: last_visit ? texts.whySection.changedSince(dayAndTime(last_visit.at)) : texts.whySection.changedNewest,
      items: briefing.changed.map((entry) => item(entry, <Tag>{texts.changes[entry.change]}</Tag>)),
    },
    tried_here: {
      why: texts.whySection.tried_here,
      items: briefing.tried_here.map((tried) => (
        <Tried key={`${tried.action} ${tried.outcome_ref}`} tried={tried} now={now} />
      )),
    },
    who_to_ask: {
      why: texts.whySection.who_to_ask,
      items: briefing.who_to_ask.map((agent) => <Asked key={agent.agent_id} agent={agent} now={now} />),
    },
    digests: {
      why: texts.whySection.digests,
      items: briefing.digests.map((digest) => (
        <Digest key={`${digest.digest_type} ${digest.scope}`} digest={digest} now={now} />
      )),
    },
  };
  const shown = ORDER.filter((name) => parts[name].items.length > 0);
  if (shown.length === 0) return <p className={`${styles.nothing} third`}>{texts.nothing}</p>;
  return shown.map((name) => (
    <Section key={name} title={texts.sections[name]} note={parts[name].why}>
      <ul className={styles.items}>{parts[name].items}</ul>
    </Section>
  ));
}

type BriefedProps = { entry: BriefedItem; branch: string; now: number; extra: ReactNode };

function Briefed({ entry, branch, now, extra }: BriefedProps) {
  const { entity_path, key, value, value_truncated, confidence, evidence_status, agent_id, written_at } = entry;
  const { success_count, failure_count, last_outcome_at } = entry;
  const isJudged = success_count + failure_count > 0;
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <a
          className={styles.itemName}
          href={hrefOf('memory', entity_path, { key, ...(branch === 'main' ? {} : { branch }) })}
        >
          <EntryName path={entity_path} name={key} />
        </a>
        <Status status={evidence_status} />
        <span className="grow" />
        <Confidence value={confidence} />
      </div>
      {value !== null && (
        <div className={styles.value}>
          <LongValue text={shortly(value)} />
          {value_truncated && <span className="third"> ({texts.cut})</span>}
        </div>
      )}
      <div className={`${styles.why} third small`}>
        <span>
          {isJudged ? texts.outcomes(success_count, failure_count) : texts.noOutcome}
          {last_outcome_at !== null && `, ${texts.lastOutcome(ago(last_outcome_at, now))}`}
        </span>
        <span>
          {texts.byAgent(agent_id)}{' '}
          <time dateTime={written_at} title={fullTimeOf(written_at)}>
            {ago(written_at, now)}
          </time>
        </span>
        {extra}
      </div>
    </li>
  );
}

type ReplacedProps = { by: WholeBriefing['discredited'][number]['replaced_by']; branch: string };

function Replaced({ by, branch }: ReplacedProps) {
  if (by.length === 0) return null;
  return (
    <span className={styles.names}>
      {texts.insteadOf}:
      {by.map(({ entity_path, key }) => (
        <a
          key={`${entity_path}/${key}`}
          href={hrefOf('memory', entity_path, { key, ...(branch === 'main' ? {} : { branch }) })}
        >
          <EntryName path={entity_path} name={key} />
        </a>
      ))}
    </span>
  );
}

function Tried({ tried, now }: { tried: WholeBriefing['tried_here'][number]; now: number }) {
  const { action, won, n, p, agents, last_3, last_at, outcome_ref, note } = tried;
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <span className={styles.itemName}>{action}</span>
        <span className="grow" />
        <span className="second small">{texts.won(won, n)}</span>
        <span className="third small">{texts.chance(p)}</span>
      </div>
      {note !== null && <p className="second">{note}</p>}
      <div className={`${styles.why} third small`}>
        <span className={styles.names}>
          {last_3.map((type, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same outcome may come twice.
            <span key={i} className={isFailure(type) ? 'bad' : 'good'}>
              {type}
            </span>
          ))}
        </span>
        <a className="mono" href={hrefOf('traces', '', { outcome_ref })}>
          {outcome_ref}
        </a>
        <span>{agents.join(', ')}</span>
        <time dateTime={last_at} title={fullTimeOf(last_at)}>
          {ago(last_at, now)}
        </time>
      </div>
    </li>
  );
}

function Asked({ agent, now }: { agent: WholeBriefing['who_to_ask'][number]; now: number }) {
  const { agent_id, reason, validated, successes, last_at, top_keys } = agent;
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <a className="strong" href={hrefOf('agents', agent_id)}>
          {agent_id}
        </a>
        <span className="second">{reason}</span>
      </div>
      <div className={`${styles.why} third small`}>
        <span>{texts.validatedBy(validated, successes)}</span>
        <time dateTime={last_at} title={fullTimeOf(last_at)}>
          {ago(last_at, now)}
        </time>
        <span className={styles.names}>
          {top_keys.map(({ entity_path, key }) => (
            <a key={`${entity_path}/${key}`} href={hrefOf('memory', entity_path, { key })}>
              <EntryName path={entity_path} name={key} />
            </a>
          ))}
        </span>
      </div>
    </li>
  );
}

function Digest({ digest, now }: { digest: BriefedDigest; now: number }) {
  const { digest_type, scope, summary, entry_count, anticipation_score, compiled_at } = digest;
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        <span className="mono strong cut">{scope}</span>
        <Tag>{texts.digestTypes[digest_type]}</Tag>
        <span className="grow" />
        <span className="second small">{texts.likely(anticipation_score)}</span>
      </div>
      <p className="second prose">{summary.narrative}</p>
      <div className={`${styles.why} third small`}>
        <span>{texts.entriesBehind(entry_count)}</span>
        <time dateTime={compiled_at} title={fullTimeOf(compiled_at)}>
          {texts.compiled(ago(compiled_at, now))}
        </time>
      </div>
    </li>
  );
}

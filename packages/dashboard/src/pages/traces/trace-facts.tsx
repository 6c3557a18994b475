import type { ReactNode } from 'react';
import { hrefOf } from '../../router/address.ts';
import { dayAndTime, duration, fullTimeOf, money, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Tag } from '../../ui/marks.tsx';
import type { WholeTrace } from './steps.ts';
import { outcomeTone } from './tones.ts';
import styles from './traces.module.css';
import type { TraceData, useTrace } from './use-trace.ts';

const texts = traces.one;
type Seal = ReturnType<typeof useTrace>['seal'];

/** What a trace comes to, in a line. */
export function TraceFacts({ data: { trace, staleReads }, seal }: { data: TraceData; seal: Seal }) {
  const { facts } = texts;
  const stale = staleReads.filter(({ value_changed }) => value_changed).length;
  const shown: [string, ReactNode][] = [
    [facts.outcome, <OutcomeTag key="outcome" type={trace.outcome_type} />],
    [
      facts.agent,
      <a key="agent" className="link" href={hrefOf('agents', trace.agent_id)}>
        {trace.agent_id}
      </a>,
    ],
    [
      facts.ended,
      <time key="ended" dateTime={trace.session_ended_at} title={fullTimeOf(trace.session_ended_at)}>
        {dayAndTime(trace.session_ended_at)}
      </time>,
    ],
    [facts.took, trace.session_duration_ms === null ? texts.unknown : duration(trace.session_duration_ms)],
    [facts.calls, number(trace.total_llm_calls)],
    [facts.tokens, number(trace.total_tokens)],
    [facts.cost, costOf(trace)],
    [
      facts.read,
      <span key="read">
        {number(trace.causal_entries.length)} {stale > 0 && <span className="warn small">{texts.changed(stale)}</span>}
      </span>,
    ],
    [facts.seal, <SealMark key="seal" trace={trace} seal={seal} />],
  ];
  return (
    <dl className={styles.facts}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const OutcomeTag = ({ type }: { type: string | null }) =>
  type === null ? <span className="third">{texts.none}</span> : <Tag tone={outcomeTone(type)}>{type}</Tag>;

/** A sum without those costs that are not known says so. */
export function costOf({
  total_cost_usd,
  known_cost_usd,
}: Pick<WholeTrace, 'total_cost_usd' | 'known_cost_usd'>): string {
  if (total_cost_usd !== null) return money(total_cost_usd);
  return known_cost_usd === null ? texts.unknown : texts.atLeast(money(known_cost_usd));
}

const shortHash = (hash: string) => `${hash.slice(0, 4)}…${hash.slice(-2)}`;

function SealMark({ trace: { hash }, seal }: { trace: WholeTrace; seal: Seal }) {
  const word =
    seal.data === undefined ? texts.verifying : seal.data.problems.length > 0 ? texts.broken : texts.verified;
  const tone = seal.data === undefined ? 'third' : seal.data.problems.length > 0 ? 'bad' : 'good';
  return (
    <span>
      <span className={tone}>{seal.error ? texts.unknown : word}</span>{' '}
      <span className="mono third" title={hash}>
        {shortHash(hash)}
      </span>
    </span>
  );
}

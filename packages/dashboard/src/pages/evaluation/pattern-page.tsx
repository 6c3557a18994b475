import { useState } from 'react';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { dayAndTime, fullTimeOf, number } from '../../texts/format.ts';
import { patterns as texts } from '../../texts/patterns.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from '../branches/branches.module.css';
import evaluationStyles from './evaluation.module.css';
import { TraceLink } from './evaluation-marks.tsx';
import { nameOf, PATTERN_TONES, SEVERITY_TONES, type WholePattern } from './pattern-data.ts';
import { EvidenceEntries } from './pattern-entries.tsx';
import { ResolvePattern } from './resolve-pattern.tsx';

/** One pattern: what was found, the figures behind it, and where to look. */
export function PatternPage({ patternId }: { patternId: string }) {
  const input = { pattern_id: patternId };
  const call = { name: 'detected_patterns.read', input } as const;
  const answer = useOperation('detected_patterns.read', input);
  useCrumbs([
    { label: texts.title, href: hrefOf('patterns') },
    { label: answer.data ? nameOf(answer.data) : patternId },
  ]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={8} call={call}>
        {(pattern) => <ShownPattern pattern={pattern} call={call} />}
      </Loaded>
    </div>
  );
}

function ShownPattern({ pattern, call }: { pattern: WholePattern; call: CopiedCall }) {
  const [isResolving, setResolving] = useState(false);
  const { severity, status, description, entries, traces, agents, figures } = pattern;
  return (
    <>
      <div className={styles.head}>
        <div className={styles.headLine}>
          <h1>{nameOf(pattern)}</h1>
          <Tag tone={SEVERITY_TONES[severity]}>{texts.severities[severity]}</Tag>
          <Tag tone={PATTERN_TONES[status]}>{texts.statusOf[status]}</Tag>
          <span className="grow" />
          {status !== 'resolved' && (
            <Button kind="ink" onClick={() => setResolving(true)}>
              {texts.resolve}
            </Button>
          )}
          <CopyAs call={call} />
        </div>
        <p className="second prose">{description}</p>
      </div>
      <div className={styles.split}>
        <div>
          <Section title={texts.entries} bleed>
            {entries.length === 0 ? (
              <p className={`${evaluationStyles.none} third`}>{texts.noEntries}</p>
            ) : (
              <EvidenceEntries entries={entries} />
            )}
          </Section>
          {traces.length > 0 && (
            <Section title={texts.traces}>
              <Traces traces={traces} />
            </Section>
          )}
        </div>
        <div className={styles.aside}>
          <Section title={texts.figures}>
            <Facts
              facts={Object.entries(figures).map(([name, n]) => ({ name: texts.figureOf(name), value: number(n) }))}
            />
          </Section>
          <Section title={texts.about}>
            <Facts facts={factsOf(pattern)} />
          </Section>
          <Section title={texts.agents}>
            <ul className={evaluationStyles.links}>
              {agents.map((id) => (
                <li key={id}>{linkTo('agents', id)}</li>
              ))}
            </ul>
          </Section>
        </div>
      </div>
      {isResolving && <ResolvePattern patternId={pattern.pattern_id} onClose={() => setResolving(false)} />}
    </>
  );
}

const Traces = ({ traces }: Pick<WholePattern, 'traces'>) => (
  <ul className={evaluationStyles.links}>
    {traces.map(({ trace_id, agent_id, outcome_type, traced_at }) => (
      <li key={trace_id} className="line">
        <a className="strong cut" href={hrefOf('agents', agent_id)}>
          {agent_id}
        </a>
        <TraceLink id={trace_id} />
        <span className="second small">{outcome_type}</span>
        <span className="third small">{timeOf(traced_at)}</span>
      </li>
    ))}
  </ul>
);

const linkTo = (page: string, id: string) => (
  <a className="link" href={hrefOf(page, id)}>
    {id}
  </a>
);

const timeOf = (at: string) => (
  <time dateTime={at} title={fullTimeOf(at)}>
    {dayAndTime(at)}
  </time>
);

function factsOf(pattern: WholePattern): Fact[] {
  const { facts } = texts;
  const { entity_path, agent_id, branch, pull_request_id, reopened, resolved_by, reason } = pattern;
  return [
    { name: facts.id, value: <code>{pattern.pattern_id}</code> },
    { name: facts.category, value: texts.categories[pattern.category] },
    ...(entity_path === null ? [] : [{ name: facts.path, value: linkTo('memory', entity_path) }]),
    ...(agent_id === null ? [] : [{ name: facts.agent, value: linkTo('agents', agent_id) }]),
    ...(branch === 'main' ? [] : [{ name: facts.branch, value: linkTo('branches', branch) }]),
    ...(pull_request_id === null ? [] : [{ name: facts.pull, value: linkTo('pulls', pull_request_id) }]),
    { name: facts.detected, value: timeOf(pattern.detected_at) },
    { name: facts.opened, value: timeOf(pattern.opened_at) },
    ...(reopened === 0 ? [] : [{ name: facts.reopened, value: number(reopened) }]),
    ...(resolved_by === null ? [] : [{ name: facts.resolvedBy, value: linkTo('agents', resolved_by) }]),
    ...(reason === '' ? [] : [{ name: facts.reason, value: reason }]),
  ];
}

import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { agents } from '../../texts/agents.ts';
import { confidence, number } from '../../texts/format.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { TableToggle } from '../../ui/time-chart.tsx';
import styles from './agents.module.css';

const texts = agents.calibration;
type Buckets = Output<'outcomes.calibration'>['buckets'];
type TestedBucket = { claim: number; held: number; n: number };

/** What a confidence really means: how often entries that had it held. Of one agent, or of all. */
export function Calibration({ agent }: { agent?: string }) {
  const input = agent === undefined ? {} : { agent_id: agent };
  const answer = useOperation('outcomes.calibration', input, { keepPrevious: false });
  const [isTable, setTable] = useState(false);
  const { data } = answer;
  return (
    <Section
      title={texts.title}
      note={data && data.n > 0 ? texts.outcomes(data.n, data.truncated) : undefined}
      actions={data && data.n > 0 && <TableToggle isTable={isTable} onToggle={setTable} />}
    >
      <Loaded answer={answer} call={{ name: 'outcomes.calibration', input }}>
        {({ n, buckets, ...figures }) => {
          const points = pointsOf(buckets);
          if (n === 0) return <p className="third">{agent === undefined ? texts.nothingAtAll : texts.nothing}</p>;
          return (
            <div className={styles.calibration}>
              {isTable ? <PointTable points={points} /> : <Plot points={points} />}
              <Words points={points} figures={figures} />
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

function pointsOf(buckets: Buckets): TestedBucket[] {
  return buckets.flatMap(({ n, mean_confidence, success_rate }) =>
    mean_confidence === null || success_rate === null ? [] : [{ claim: mean_confidence, held: success_rate, n }],
  );
}

type Figures = Omit<Output<'outcomes.calibration'>, 'n' | 'buckets'>;
type WordsProps = { points: readonly TestedBucket[]; figures: Figures };

/** The bucket with the most evidence, in words, and the figures for all. */
function Words({ points, figures }: WordsProps) {
  const most = points.reduce<TestedBucket | undefined>(
    (best, point) => (best && best.n >= point.n ? best : point),
    undefined,
  );
  return (
    <dl className={styles.says}>
      {most && (
        <>
          <dt>{texts.claims(confidence(most.claim))}</dt>
          <dd>{texts.holds(confidence(most.held))}</dd>
        </>
      )}
      <Figure name={texts.brier} hint={texts.brierHint} value={figures.brier_score} />
      <Figure name={texts.error} hint={texts.errorHint} value={figures.expected_calibration_error} />
      <Figure name={texts.learned} hint={texts.learnedHint} value={figures.learned_calibration_error} />
    </dl>
  );
}

function Figure({ name, hint, value }: { name: string; hint: string; value: number | null }) {
  if (value === null) return null;
  return (
    <>
      <dt>
        <span className="hinted" title={hint}>
          {name}
        </span>
      </dt>
      <dd>{value.toFixed(3)}</dd>
    </>
  );
}

const SIDE = 160;
const LEFT = 20;
const TOP = 8;

function Plot({ points }: { points: readonly TestedBucket[] }) {
  const x = (value: number) => LEFT + value * SIDE;
  const y = (value: number) => TOP + (1 - value) * SIDE;
  const most = Math.max(1, ...points.map(({ n }) => n));
  const sentence = points.map(({ claim, held, n }) => texts.point(confidence(claim), confidence(held), n)).join('; ');
  return (
    <div className={styles.plot}>
      <svg viewBox={`0 0 ${LEFT + SIDE + 12} ${TOP + SIDE + 22}`} role="img" aria-label={texts.label(sentence)}>
        {[0.25, 0.5, 0.75].map((tick) => (
          <path key={tick} className={styles.grid} d={`M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}`} />
        ))}
        <rect className={styles.frame} x={x(0)} y={y(1)} width={SIDE} height={SIDE} />
        <path className={styles.ideal} d={`M${x(0)} ${y(0)}L${x(1)} ${y(1)}`} />
        <path
          className={styles.held}
          d={points.map(({ claim, held }, i) => `${i === 0 ? 'M' : 'L'}${x(claim)} ${y(held)}`).join('')}
        />
        {points.map(({ claim, held, n }) => (
          <circle key={claim} className={styles.point} cx={x(claim)} cy={y(held)} r={2.5 + 3 * Math.sqrt(n / most)}>
            <title>{texts.point(confidence(claim), confidence(held), n)}</title>
          </circle>
        ))}
        <text x={LEFT - 6} y={y(1) + 8} textAnchor="end">
          1
        </text>
        <text x={LEFT - 6} y={y(0)} textAnchor="end">
          0
        </text>
        <text x={x(0)} y={y(0) + 16}>
          0
        </text>
        <text x={x(0.5)} y={y(0) + 16} textAnchor="middle">
          {texts.axis}
        </text>
        <text x={x(1)} y={y(0) + 16} textAnchor="end">
          1
        </text>
      </svg>
    </div>
  );
}

function PointTable({ points }: { points: readonly TestedBucket[] }) {
  const { columns } = texts;
  return (
    <Table
      label={texts.title}
      rows={points}
      keyOf={({ claim }) => claim}
      columns={[
        { id: 'claim', head: columns.claim, phone: 'name', cell: ({ claim }) => confidence(claim) },
        { id: 'held', head: columns.held, phone: 'detail', cell: ({ held }) => confidence(held) },
        { id: 'n', head: columns.n, end: true, phone: 'value', cell: ({ n }) => number(n) },
      ]}
    />
  );
}

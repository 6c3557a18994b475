import { useEffect, useRef } from 'react';
import type { Output } from '../../data/client.ts';
import { isFailure } from '../../data/events.ts';
import { duration, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Cell, RowList, type RowListHandle } from '../../ui/row-list.tsx';
import { Section } from '../../ui/section.tsx';
import { useIsPhone } from '../../ui/use-media.ts';
import styles from './compare.module.css';
import { STEP_COLOURS } from './tones.ts';

const texts = traces.compare;

type Comparison = Output<'traces.compare'>;
type StepPair = Comparison['steps'][number];

/** The most steps that the service compares. */
export const MOST_COMPARED = 1000;
const ROW_PX = 44;
const PHONE_ROW_PX = 60;
const MOST_ROWS = 100;
const LONG_PX = 640;

/** The steps of two traces side by side, as the service aligns them, with the first one in which they part. */
export function ComparedSteps({ compared }: { compared: Comparison }) {
  const { steps, step_count, same_count, first_divergence, complete } = compared;
  const list = useRef<RowListHandle>(null);
  const isPhone = useIsPhone();
  const rowPx = isPhone ? PHONE_ROW_PX : ROW_PX;
  const found = steps.findIndex(({ no }) => no === first_divergence?.no);
  const first = found < 0 ? undefined : found;
  const show = () => {
    if (first === undefined) return;
    list.current?.reveal(first);
    list.current?.focus();
  };
  useEffect(() => {
    if (first !== undefined) list.current?.reveal(first);
  }, [first]);
  const actions = first !== undefined && <Button onClick={show}>{texts.toFirst}</Button>;
  return (
    <Section title={texts.rows} note={texts.steps(same_count, step_count)} actions={actions} bleed>
      {first_divergence === null && (
        <p className={styles.note}>
          <span className="good">{texts.same}.</span> <span className="third">{texts.sameNote}</span>
        </p>
      )}
      {!complete && <p className={classes(styles.note, 'warn')}>{texts.tooMany(number(MOST_COMPARED))}</p>}
      <div style={{ height: steps.length > MOST_ROWS ? LONG_PX : steps.length * rowPx }}>
        <RowList
          label={texts.rows}
          count={steps.length}
          rowPx={rowPx}
          handle={list}
          row={(index) => {
            const pair = steps[index];
            return pair && <PairRow pair={pair} isFirst={index === first} />;
          }}
        />
      </div>
    </Section>
  );
}

function PairRow({ pair, isFirst }: { pair: StepPair; isFirst: boolean }) {
  const { differs } = pair;
  const isDifferent = differs.length > 0;
  return (
    <div className={classes(styles.pair, isDifferent && styles.different, isFirst && styles.first)} role="presentation">
      <StepSide pair={pair} side={0} isGrey={!isDifferent} />
      <Cell className={styles.middle}>
        {isFirst && <span className="bad strong">{texts.first}</span>}
        {isDifferent && <span className="warn">{wordOf(pair)}</span>}
      </Cell>
      <StepSide pair={pair} side={1} isGrey={!isDifferent} />
    </div>
  );
}

function wordOf({ of, differs }: StepPair): string {
  if (differs.includes('missing')) return of[0] ? texts.onlyLeft : texts.onlyRight;
  return texts.differs(differs.flatMap((what) => (what === 'missing' ? [] : [texts.what[what]])));
}

type StepSideProps = { pair: StepPair; side: 0 | 1; isGrey: boolean };

function StepSide({ pair: { kind, name, of }, side, isGrey }: StepSideProps) {
  const step = of[side];
  if (!step) return <Cell className={styles.side} />;
  const { note, version, failed, duration_ms } = step;
  // The note of an outcome is its type.
  const isBad = failed || (kind === 'outcome' && isFailure(note));
  // A model is its own note, and the version of a read stands behind it.
  const shownNote = note === name || version !== null ? '' : note;
  const facts = [
    version === null ? '' : traces.one.version(version),
    duration_ms === null ? '' : duration(duration_ms),
  ];
  return (
    <Cell className={styles.side}>
      <span className={styles.dot} style={{ background: `var(${isBad ? '--s-error' : STEP_COLOURS[kind]})` }} />
      <span
        className={classes('cut', isGrey && 'second', (kind === 'read' || kind === 'query') && 'mono')}
        title={`${name} ${shownNote}`.trim()}
      >
        {name} <span className="third">{shownNote}</span>
      </span>
      <span className="grow" />
      <span className={classes(styles.figures, 'third small')}>{facts.filter(Boolean).join(', ')}</span>
    </Cell>
  );
}

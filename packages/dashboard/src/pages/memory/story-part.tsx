import { useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { confidence as confidenceText, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Delta } from '../../ui/marks.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type ChartStep, callOf, type Story } from './entry-data.ts';
import type { ShownEntryData } from './entry-pane.tsx';
import type { MemoryAddress } from './memory-address.ts';
import styles from './story.module.css';
import { StepMark, StoryChart } from './story-chart.tsx';
import { movedToday, reasonOf, sentence, shapeOf } from './story-scale.ts';

const texts = memory.story;
const SHOWN = 5;
const MORE = 50;

/** How the confidence came about: a sentence, the line of its steps, and the reason of each. */
export function StoryPart({ address, shown }: { address: MemoryAddress; shown: ShownEntryData }) {
  return (
    <section className={styles.storyPart} aria-label={texts.title}>
      <h2 className="unseen">{texts.title}</h2>
      {shown.story.data === null ? (
        <p className="third">{texts.ended}</p>
      ) : (
        <Loaded answer={shown.story} rows={6} call={{ name: 'entries.confidence', input: callOf(shown.entry) }}>
          {(story) => story && <StoryShown story={story} address={address} />}
        </Loaded>
      )}
    </section>
  );
}

function StoryShown({ story, address }: { story: Story; address: MemoryAddress }) {
  const now = useNow();
  const { steps, summary, recomputed, effective_confidence, confidence, half_life_days } = story;
  const asked = address.step === '' ? Number.NaN : Number(address.step);
  const selected = steps[asked] ? asked : steps.length - 1;
  const select = (index: number) => address.set({ step: index === steps.length - 1 ? '' : String(index) });
  const move = (by: number) => select(Math.max(0, Math.min(steps.length - 1, selected + by)));
  useCommands([
    { id: 'step-back', label: texts.previous, keys: '[', group: 'page', unlisted: true, run: () => move(-1) },
    { id: 'step-on', label: texts.next, keys: ']', group: 'page', unlisted: true, run: () => move(1) },
  ]);
  const moved = movedToday(steps, now);
  const isFaded = Math.abs(effective_confidence - confidence) >= 0.005;
  return (
    <>
      <div className={styles.storyHead}>
        <div className={styles.storyNow}>
          <span className={styles.storyNumber}>{confidenceText(effective_confidence)}</span>
          {moved !== undefined && <span className={`small ${moved < 0 ? 'bad' : 'good'}`}>{texts.today(moved)}</span>}
        </div>
        <p className="second">
          {sentence(summary)} {isFaded && texts.faded(confidenceText(confidence), half_life_days)}{' '}
          {recomputed.matches ? (
            texts.matches
          ) : (
            <span className="bad">{texts.differs(confidenceText(recomputed.confidence))}</span>
          )}
        </p>
      </div>
      {steps.length > 1 && (
        <StoryChart
          label={texts.chart(steps.length, confidenceText(steps[0]?.confidence_after ?? 0), confidenceText(confidence))}
          steps={steps}
          selected={selected}
          onSelect={select}
        />
      )}
      <Steps steps={steps} selected={steps.length > 1 ? selected : -1} onSelect={select} now={now} />
      {story.truncated && <p className="third small">{texts.truncated}</p>}
    </>
  );
}

type StepsProps = { steps: readonly ChartStep[]; selected: number; onSelect: (index: number) => void; now: number };

/** The steps in words, newest first. */
function Steps({ steps, selected, onSelect, now }: StepsProps) {
  const [most, setMost] = useState(SHOWN);
  const shown = Math.min(steps.length, Math.max(most, selected < 0 ? 0 : steps.length - selected));
  const rows = steps.map((step, index) => ({ step, index })).slice(steps.length - shown);
  return (
    <>
      <ol className={styles.steps} reversed>
        {rows.reverse().map(({ step, index }) => (
          <Step key={index} step={step} isSelected={index === selected} onSelect={() => onSelect(index)} now={now} />
        ))}
      </ol>
      {steps.length > shown && (
        <Button kind="quiet" className={styles.earlier} onClick={() => setMost(shown + MORE)}>
          {texts.earlier(steps.length - shown)}
        </Button>
      )}
    </>
  );
}

type StepProps = { step: ChartStep; isSelected: boolean; onSelect: () => void; now: number };

function Step({ step, isSelected, onSelect, now }: StepProps) {
  const { at, outcome_ref, why, confidence_before, confidence_after } = step;
  return (
    <li className={styles.step} aria-current={isSelected ? 'step' : undefined}>
      <button type="button" className={styles.stepButton} onClick={onSelect} title={why}>
        <svg viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">
          <StepMark shape={shapeOf(step)} />
        </svg>
        <time className={`${styles.stepTime} third`} dateTime={at} title={fullTimeOf(at)}>
          {dayAndTime(at, now)}
        </time>
        <span className={styles.stepReason}>{reasonOf(step)}</span>
      </button>
      {outcome_ref !== null && (
        <a
          className={`${styles.stepRef} mono second cut`}
          href={hrefOf('traces', '', { outcome_ref })}
          title={outcome_ref}
        >
          {outcome_ref}
        </a>
      )}
      <span className={styles.stepMove}>
        <Delta before={confidence_before} after={confidence_after} />
      </span>
    </li>
  );
}

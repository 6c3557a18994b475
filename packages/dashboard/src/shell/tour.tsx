import { useEffect, useRef, useState } from 'react';
import { tour } from '../texts/tour.ts';
import { Button } from '../ui/button.tsx';
import { placeBelow } from '../ui/place.ts';
import { useMedia } from '../ui/use-media.ts';
import styles from './tour.module.css';

/** Steps whose part is on the page; a phone or an empty store has fewer. */
const stepsHere = () => tour.steps.filter(({ at }) => anchorOf(at) !== null);
/** A phone, and whatever else is touched. */
const NO_KEYS = '(max-width: 799px), (pointer: coarse)';
const anchorOf = (name: string) => document.querySelector<HTMLElement>(`[data-tour="${name}"]`);

/** Leads through the Overview, one part after the other. */
export function Tour({ onClose }: { onClose: () => void }) {
  const [steps] = useState(stepsHere);
  const [at, setAt] = useState(0);
  const card = useRef<HTMLElement>(null);
  const step = steps[at];
  const isTouch = useMedia(NO_KEYS);
  useEffect(() => {
    const anchor = step && anchorOf(step.at);
    if (!anchor || !card.current) return onClose();
    anchor.scrollIntoView({ block: 'nearest' });
    anchor.dataset.touring = '';
    if (!card.current.matches(':popover-open')) card.current.showPopover();
    placeBelow(card.current, anchor);
    card.current.focus();
    return () => {
      delete anchor.dataset.touring;
    };
  }, [step, onClose]);
  if (!step) return null;
  const isLast = at === steps.length - 1;
  const { title, text } = isTouch ? { ...step, ...step.touch } : step;
  return (
    <section
      ref={card}
      popover="manual"
      tabIndex={-1}
      className={styles.card}
      aria-label={tour.label}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.title}>{title}</div>
      <p className="second">{text}</p>
      <div className={styles.actions}>
        <span className="third small grow">{tour.of(at + 1, steps.length)}</span>
        {!isLast && (
          <Button kind="quiet" onClick={onClose}>
            {tour.skip}
          </Button>
        )}
        <Button kind="ink" onClick={() => (isLast ? onClose() : setAt(at + 1))}>
          {isLast ? tour.done : tour.next}
        </Button>
      </div>
    </section>
  );
}

import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './overlay.module.css';
import { placeBelow } from './place.ts';

const WAIT_MS = 300;

/** More about a thing, on hover and focus. Never the only place of a fact. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const id = useId();
  const tip = useRef<HTMLSpanElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => {
    clearTimeout(timer.current);
    if (tip.current?.matches(':popover-open')) tip.current.hidePopover();
  };
  const show = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!tip.current?.isConnected || !anchor.current) return;
      tip.current.showPopover();
      placeBelow(tip.current, anchor.current);
    }, WAIT_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what is inside it.
    <span
      ref={anchor}
      aria-describedby={id}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {children}
      <span ref={tip} id={id} popover="manual" role="tooltip" className={styles.tooltip}>
        {text}
      </span>
    </span>
  );
}

import { type ReactNode, useEffect, useRef } from 'react';
import { useCommands } from '../shell/commands.ts';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import styles from './inspector.module.css';

type InspectorProps = {
  label: string;
  title: ReactNode;
  /** Without it, it is there for good. */
  onClose?: () => void;
  children: ReactNode;
};

/** What one thing on the page is: a pane beside it, over it where there is no room. Esc closes it. */
export function Inspector({ label, title, onClose, children }: InspectorProps) {
  const pane = useRef<HTMLElement>(null);
  useCommands(
    onClose ? [{ id: 'close-inspector', label: ui.close, keys: 'Escape', unlisted: true, run: onClose }] : [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing begins at the top.
  useEffect(() => {
    pane.current?.scrollTo(0, 0);
  }, [label]);
  return (
    <aside ref={pane} className={onClose ? styles.inspector : styles.resting} aria-label={label}>
      <div className={styles.head}>
        <h2 className="grow cut">{title}</h2>
        {onClose && <Button kind="quiet" icon="close" aria-label={ui.close} onClick={onClose} />}
      </div>
      {children}
    </aside>
  );
}

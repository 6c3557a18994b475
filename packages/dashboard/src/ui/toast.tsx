import { useSyncExternalStore } from 'react';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import styles from './overlay.module.css';

type Toast = { id: number; text: string; undo: (() => void) | undefined };

const PLAIN_MS = 4_000;
/** Long enough to change one's mind. */
const UNDO_MS = 10_000;

const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let lastId = 0;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Says that something was done that cannot be seen, with Undo where it can be undone. */
export function showToast(text: string, undo?: () => void): void {
  const id = ++lastId;
  set([...toasts.slice(-2), { id, text, undo }]);
  setTimeout(() => dismiss(id), undo ? UNDO_MS : PLAIN_MS);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={styles.toasts} role="status">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className={styles.toast}>
          <span className="grow">{text}</span>
          {undo && (
            <Button
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              {ui.undo}
            </Button>
          )}
          <Button kind="quiet" icon="close" aria-label={ui.dismiss} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

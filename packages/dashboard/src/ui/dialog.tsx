import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import { Field } from './choices.tsx';
import { classes } from './classes.ts';
import styles from './overlay.module.css';
import { StillWorking } from './still-working.tsx';

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  className?: string | undefined;
  /** Without a heading of its own; the title is read out only. */
  bare?: boolean;
  /** There is no way around it. */
  required?: boolean;
  /** What Esc does where there is no way around. */
  onEscape?: () => void;
};

/** A dialog over the page. It is open as long as it is rendered; focus returns to where it was. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
  className,
  bare = false,
  required = false,
  onEscape = () => {},
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    if (element && !element.open) {
      element.showModal();
      (element.querySelector<HTMLElement>('input:not([type=checkbox]), textarea, select') ?? element).focus();
    }
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    if (required) onEscape();
    else onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does the same, by the browser.
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={classes(styles.dialog, wide && styles.wide, className)}
      aria-labelledby={bare ? undefined : id}
      aria-label={bare ? title : undefined}
      onCancel={onCancel}
      onClick={(event) => {
        if (event.target === event.currentTarget && !required) onClose();
      }}
    >
      {bare ? (
        children
      ) : (
        <>
          <div className={styles.head}>
            <h2 id={id} className={styles.title}>
              {title}
            </h2>
            {!required && <Button kind="quiet" icon="close" aria-label={ui.close} onClick={onClose} />}
          </div>
          <div className={styles.body}>{children}</div>
        </>
      )}
    </dialog>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);

type ConfirmProps = {
  title: string;
  /** What happens, and that it cannot be undone. */
  children: ReactNode;
  /** What must be typed, such as the path that is erased. */
  expected: string;
  action: string;
  busy?: boolean;
  /** What is being done while it is busy. */
  working?: string | undefined;
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/** For what nothing brings back: the text must be typed. */
export function TypedConfirmation({
  title,
  children,
  expected,
  action,
  busy = false,
  working,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const isRight = typed.trim() === expected;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight) onConfirm();
        }}
      >
        <Field label={ui.typeToConfirm(expected)} error={error}>
          {(field) => (
            <input
              {...field}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <StillWorking isBusy={busy} {...(working === undefined ? {} : { what: working })} />
        <DialogActions>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="danger" submit disabled={!isRight} busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

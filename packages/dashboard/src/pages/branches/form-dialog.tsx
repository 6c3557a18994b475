import type { ReactNode } from 'react';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { StillWorking } from '../../ui/still-working.tsx';

type FormDialogProps = {
  title: string;
  submit: string;
  busy: boolean;
  /** What is being done while it is busy. */
  working?: string | undefined;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
  disabled?: boolean;
  wide?: boolean;
};

/** A few fields and one thing to do with them. What went wrong is said below the fields; nothing typed is lost. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, busy, working, error, onSubmit, onClose, children, disabled = false, wide = false } = props;
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        onKeyDown={(event) => {
          // The browser submits with Enter from a field of one line only.
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.querySelector<HTMLElement>('[type="submit"]')?.click();
        }}
      >
        {children}
        {error !== null && error !== undefined && <ErrorState error={error} isAction />}
        <StillWorking isBusy={busy} {...(working === undefined ? {} : { what: working })} />
        <DialogActions>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="ink" submit busy={busy} disabled={disabled}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { keysTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

const texts = keysTexts.once;

/** A key, shown this once. It is nowhere but in this dialog, and gone when it closes. */
export function KeyOnce({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <Dialog title={texts.title} onClose={onClose} required>
      {secret === null ? (
        <p>{texts.retried}</p>
      ) : (
        <>
          <p className="second">{texts.hint}</p>
          <Code label={texts.label} text={secret} wrap />
        </>
      )}
      <DialogActions>
        {secret !== null && <CopyButton text={secret} label={texts.copy} />}
        <Button kind="ink" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

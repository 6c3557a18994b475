import { type FormEvent, useState } from 'react';
import { signIn } from '../data/change-key.ts';
import { readKey, useIsRefused } from '../data/key-store.ts';
import { shell } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/choices.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';

/** Over the page when the service asks for a key; the address stays, and the page loads when the key is accepted. */
export function SignIn() {
  const isRefused = useIsRefused();
  return isRefused ? <SignInForm /> : null;
}

function SignInForm() {
  const { title, hint, label, submit, refused } = shell.signIn;
  const [typed, setTyped] = useState('');
  const tried = readKey();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    signIn(typed);
  };
  return (
    <Dialog title={title} onClose={() => {}} required>
      <p className="second">{hint}</p>
      <form className="stack" onSubmit={onSubmit}>
        <Field label={label} error={tried === '' ? undefined : refused}>
          {(field) => (
            <input
              {...field}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button kind="ink" submit disabled={typed.trim() === ''}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { type FormEvent, useEffect, useState } from 'react';
import { isAccepted, signIn, tryAgain } from '../data/change-key.ts';
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
  const [isRefused, setRefused] = useState(readKey() !== '');
  const [isAsking, setAsking] = useState(false);
  useAnotherTry();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
    // Until the service takes the key, nothing is asked with it, and the dialog stays.
    if (await isAccepted(typed)) signIn(typed);
    else setRefused(true);
    setAsking(false);
  };
  return (
    <Dialog title={title} onClose={() => {}} onEscape={() => void tryAgain()} required>
      <p className="second">{hint}</p>
      <form className="stack" onSubmit={(event) => void onSubmit(event)}>
        <Field label={label} error={isRefused ? refused : undefined}>
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
          <Button kind="ink" submit busy={isAsking} disabled={typed.trim() === ''}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

/** Whether the service answers without another key is looked at by itself, less and less often. */
function useAnotherTry(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (ms: number) => {
      timer = setTimeout(() => {
        void tryAgain();
        wait(Math.min(2 * ms, LONGEST_WAIT_MS));
      }, ms);
    };
    wait(FIRST_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
}

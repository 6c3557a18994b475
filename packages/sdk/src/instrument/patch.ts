import { createErrorGuard, type ErrorGuard } from './guard.ts';
import type { CallObserver } from './observer.ts';
import { observePromise } from './promise.ts';

type PatchedMethod = (this: unknown, ...args: unknown[]) => unknown;

/** An observed call, with the arguments to make it with. */
export type StartedCall = { observer: CallObserver; args: unknown[] };

/** Called before each call. Nothing is recorded if it returns undefined. */
export type StartCall = (args: unknown[], guard: ErrorGuard) => StartedCall | undefined;

/** Replaces a method by an observed one, on this object only. Returns a function that undoes it. */
export function patch(
  owner: object,
  name: string,
  { begin, report }: { begin: StartCall; report(error: unknown): void },
) {
  const methods = owner as Record<string, unknown>;
  const original = methods[name] as PatchedMethod;
  const wasOwn = Object.hasOwn(owner, name);
  const guard = createErrorGuard(report);
  let isOn = true;

  function observed(this: unknown, ...args: unknown[]): unknown {
    const begun = isOn ? guard(() => begin(args, guard)) : undefined;
    if (!begun) return original.apply(this, args);
    let made: unknown;
    try {
      made = original.apply(this, begun.args);
    } catch (error) {
      begun.observer.failed(error);
      throw error;
    }
    return guard(() => observePromise(made, begun.observer)) ?? made;
  }

  methods[name] = observed;
  return () => {
    isOn = false;
    // If another patch lies on top, this one stays below it and does nothing.
    if (methods[name] !== observed) return;
    if (wasOwn) methods[name] = original;
    else delete methods[name];
  };
}

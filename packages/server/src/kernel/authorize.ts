import { Fault, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';

/** Refuses by throwing a Fault. */
export type Authorize = (name: OperationName, input: Record<string, unknown>, caller: Caller) => void;

/** What only some keys may ask for. */
export const authorizeKeyType: Authorize = (name, _input, { key, control }) => {
  const { admin, whole, needs_full_scope, effect } = operations[name] as Operation;
  if (effect === 'control' && !control) throw new Fault('forbidden', `${name} is for whoever runs the service`);
  if (admin && key && key.type !== 'admin') throw new Fault('forbidden', `${name} needs a key of the type admin`);
  if ((whole || needs_full_scope) && (key?.read || key?.write))
    throw new Fault('forbidden', `${name} is about the whole account, and this key is kept to a part of it`);
};

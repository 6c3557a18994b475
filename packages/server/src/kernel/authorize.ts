import { Fault, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';

/** Throws a Fault to refuse. */
export type Authorize = (name: OperationName, input: Record<string, unknown>, caller: Caller) => void;

/** Who may call an operation with this input. */
export function limitsOf(
  name: OperationName,
  input: Record<string, unknown>,
): Pick<Operation, 'admin' | 'whole' | 'needs_full_scope'> {
  const operation = operations[name] as Operation;
  const { narrowed_by } = operation;
  return narrowed_by !== undefined && input[narrowed_by] !== undefined ? NARROWED : operation;
}

const NARROWED = {};

/** Refuses operations that the type of the key does not permit. */
export const authorizeKeyType: Authorize = (name, input, { key, control }) => {
  const { effect } = operations[name] as Operation;
  const { admin, whole, needs_full_scope } = limitsOf(name, input);
  if (effect === 'control' && !control)
    throw new Fault('forbidden', `${name} is for the operator of the service`, { needs: 'operator' });
  if (key?.type === 'webhook' && (name !== 'webhooks.receive' || input.connector !== key.connector))
    throw new Fault('forbidden', `this key only delivers webhooks to ${key.connector}`);
  if (admin && key && key.type !== 'admin')
    throw new Fault('forbidden', `${name} needs a key of the type admin`, { needs: 'admin_key' });
  // A key that may read everything and write nothing sees what concerns the whole account.
  const isLimited = key?.read !== undefined || (effect !== 'read' && key?.write !== undefined);
  if ((whole || needs_full_scope) && isLimited)
    throw new Fault(
      'forbidden',
      `${name} concerns the whole account, but the scope of this key covers only a part of it`,
      { needs: 'whole_account' },
    );
};

/**
 * An export of a service without keys is not audited: only its owner can make it, and a second export must equal the
 * first.
 */
export function isAuditedRead(name: OperationName, input: Record<string, unknown>, { key }: Caller): boolean {
  const { effect, lines } = operations[name] as Operation;
  const { admin, whole } = limitsOf(name, input);
  if (effect === 'control') return lines === true;
  return admin === true && (key !== undefined || !whole);
}

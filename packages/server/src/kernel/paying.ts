import { Fault, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import { type OperationCost, priceOf } from './metering.ts';
import type { Handler, Services } from './module.ts';

export type PaidCall = { name: OperationName; services: Services; caller: Caller; input: unknown };

/** A call in a room is paid by the caller's own account. */
const payerOf = ({ account_id, room }: Caller): string => room?.home_account_id ?? account_id;

/** A write over several accounts cannot be charged with one transaction, so it is paid before it runs. */
export function prepaying(name: OperationName, handler: Handler<OperationName>, caller: Caller): Caller {
  const { effect } = operations[name] as Operation;
  return handler.kind === 'control' && effect === 'write' ? { ...caller, is_prepaid: true } : caller;
}

/** Charges a read, and what is paid before it runs; other writes are charged on commit. */
export function pay({ name, services, caller, input }: PaidCall): Promise<void> | undefined {
  if (!caller.key) return undefined;
  const price: OperationCost = priceOf(name, input);
  const isRead = caller.is_prepaid && price.effect === 'write';
  return services.meter?.pay(payerOf(caller), isRead ? { ...price, effect: 'read' } : price);
}

function refund({ name, services, caller, input }: PaidCall): void {
  if (caller.key) services.meter?.refund(payerOf(caller), priceOf(name, input).cost);
}

/** Refunds a read that failed because of the service. */
export async function refundOnFailure(output: unknown, call: PaidCall): Promise<unknown> {
  try {
    return await output;
  } catch (error) {
    if (!(error instanceof Fault)) refund(call);
    throw error;
  }
}

/** Refunds a write that was paid before it ran, however it failed: no write that fails is charged. */
export async function refundPrepaid(output: unknown, call: PaidCall): Promise<unknown> {
  try {
    return await output;
  } catch (error) {
    if (call.caller.is_prepaid) refund(call);
    throw error;
  }
}

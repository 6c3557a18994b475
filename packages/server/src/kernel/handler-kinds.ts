import type { Fault, Input, LinesName, OperationName, Output, StreamName } from '@mem-service/contract';
import type { FollowRequest } from './follower.ts';
import type { ControlContext, Handler, HandlerOptions, Lines, ReadContext, WriteItem } from './module.ts';
import type { WriteResult } from './result.ts';
import type { Work } from './work.ts';

export const reads = <N extends OperationName>(
  run: (context: ReadContext, input: Input<N>) => Promise<Output<N>>,
): Handler<N> => ({ kind: 'read', run });

/** Gives a write a transaction of its own: all earlier writes are committed when it runs. */
export const exclusive = <N extends OperationName>(handler: Handler<N>): Handler<N> => ({
  ...handler,
  exclusive: true,
});

/** Writes no audit line: for an operation that must not add rows to the account it is about. */
export const unaudited = <N extends OperationName>(handler: Handler<N>): Handler<N> => ({
  ...handler,
  unaudited: true,
});

/** Adds the check whether a write is a large one. */
export const maybeLarge = <N extends OperationName>(
  isLarge: NonNullable<HandlerOptions<N>['isLarge']>,
  handler: Handler<N>,
): Handler<N> => ({ ...handler, isLarge });

/** Gives a write a step before its transaction, see `HandlerOptions`. */
export const prepares = <N extends OperationName>(
  prepare: NonNullable<HandlerOptions<N>['prepare']>,
  handler: Handler<N>,
): Handler<N> => ({ ...handler, prepare });

/** Makes a read audited: the function returns the resource for its audit line. */
export const looksAt = <N extends OperationName>(
  resourceOf: (input: Input<N>) => string,
  handler: Handler<N>,
): Handler<N> => ({ ...handler, resourceOf });

export const lists = <N extends LinesName>(run: (context: ReadContext, input: Input<N>) => Lines): Handler<N> => ({
  kind: 'lines',
  run,
});

export const follows = <N extends StreamName>(
  run: (context: ReadContext, input: Input<N>) => FollowRequest,
): Handler<N> => ({
  kind: 'stream',
  run,
});

export const writes = <N extends OperationName>(
  run: (work: Work, item: WriteItem<N>) => Promise<WriteResult<Output<N>>>,
): Handler<N> => ({ kind: 'write', run });

export const controls = <N extends OperationName>(
  run: (context: ControlContext, input: Input<N>) => Promise<Output<N>>,
): Handler<N> => ({ kind: 'control', run });

export const writesTogether = <N extends OperationName>(
  run: (work: Work, items: readonly WriteItem<N>[]) => Promise<(WriteResult<Output<N>> | Fault)[]>,
): Handler<N> => ({ kind: 'set', run });

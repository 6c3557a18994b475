import { Fault } from '@mem-service/contract';

export const traceNotFound = (trace_id: string, more: Record<string, unknown> = {}): Fault =>
  new Fault('not_found', `there is no trace ${trace_id}`, { trace_id, ...more });

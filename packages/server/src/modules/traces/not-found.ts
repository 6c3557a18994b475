import { Fault } from '@mem-service/contract';

export const traceNotFound = (trace_id: string): Fault =>
  new Fault('not_found', `there is no trace ${trace_id}`, { trace_id });
